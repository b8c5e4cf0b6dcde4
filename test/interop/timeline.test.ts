import path from 'node:path';
import { ArchiveBuilder } from '../support/archive-builder.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { type RunningGateway, startGateway } from '../support/whole-gateway.js';
import { type PmrepTable, hasReportingTools, pmrep, pmval, tableOfCsv } from './support/pmrep.js';
import { get } from './support/pmproxy.js';

/** Seconds of this file count from here; midnight, as pmval prints the time of the day. */
const START = 1_700_006_400;
const [U64, DOUBLE, COUNTER, INSTANT, BYTE] = [3, 5, 1, 3, 0x10000000];
const NAMES = ['web.load', 'web.bytes', 'web.disk'];

/** Archives of one host: a coarse one, a finer one meanwhile, and one after a reboot. Each has a counter and disks of its own numbering. */
const PARTS = {
  coarse: { from: 0, to: 300, step: 30, bytes: (sec: number) => 1_000_000 + 1000 * sec, disks: ['sda', 'sdb'] },
  fine: { from: 125, to: 205, step: 10, bytes: (sec: number) => 1_000_007 + 1001 * sec, disks: ['sdb', 'sda'] },
  rebooted: { from: 600, to: 900, step: 20, bytes: (sec: number) => 11 * (sec - 590), disks: ['sdc', 'sda', 'sdb'] },
};

/** Which of them answers from when to when: where two overlap, the finer one. */
const TURNS = [
  { part: 'coarse', from: 0, to: 124 },
  { part: 'fine', from: 125, to: 205 },
  { part: 'coarse', from: 206, to: 300 },
  { part: 'rebooted', from: 600, to: 900 },
] as const;

function buildPart(directory: string, name: keyof typeof PARTS): void {
  const { from, to, step, bytes, disks } = PARTS[name];
  const number = 1 + Object.keys(PARTS).indexOf(name);
  const [load, count, disk] = [number, number + 10, number + 20];
  const builder = new ArchiveBuilder({ version: 3, start: [START + from, 0], hostName: 'web1' })
    .metric({ pmid: load, names: ['web.load'], type: DOUBLE, semantics: INSTANT })
    .metric({ pmid: count, names: ['web.bytes'], type: U64, semantics: COUNTER, units: BYTE })
    .metric({ pmid: disk, names: ['web.disk'], type: U64, indom: number, semantics: COUNTER, units: BYTE })
    .indom(
      [START + from, 0],
      number,
      disks.map((each, id) => [id, each]),
    )
    .indexEntry([START + from, 0]);
  for (let sec = from; sec <= to; sec += step) {
    builder.record(
      [START + sec, 0],
      [
        { pmid: load, values: [[-1, number + sec / 7]] },
        { pmid: count, values: [[-1, BigInt(bytes(sec))]] },
        { pmid: disk, values: disks.map((each, id) => [id, BigInt(bytes(sec) + each.charCodeAt(2) * sec)] as const) },
      ],
    );
  }
  builder.write(directory, name);
}

const describeWithTools = hasReportingTools() ? describe : describe.skip;
if (!hasReportingTools()) process.stderr.write('SKIPPED: timelines beside pmrep and pmval need PCP\n');

describeWithTools('a host with three archives beside pmrep and pmval over each of them', () => {
  const directory = temporaryDirectory();
  let gateway: RunningGateway;

  beforeAll(async () => {
    for (const name of ['coarse', 'fine', 'rebooted'] as const) buildPart(directory.path, name);
    gateway = await startGateway({
      PMGATE_ARCHIVES_ROOTS: directory.path,
      PMGATE_HOSTS_NAMED: JSON.stringify({ web1: 'pcp://127.0.0.1:1' }),
      PMGATE_RECORD_ENABLED: 'false',
      PMGATE_LOCAL_COLLECTOR: 'false',
    });
  });
  afterAll(() => gateway.close());

  /** A range over the whole timeline, as rows of numbers by second: rows without any value left out. */
  const ours = async (query: string, names = NAMES): Promise<Rows> => {
    const window = `start=@${START}&finish=@${START + 1000}`;
    const { status, body } = await get(
      gateway.port,
      `/pmapi/fetch?hostspec=web1&names=${names.join()}&${window}&format=csv&times=iso&${query}`,
    );
    expect([status, status === 200 ? '' : body]).toEqual([200, '']);
    return rowsOf(tableOfCsv(body), { from: 0, to: 1000 });
  };

  /** What pmrep prints over each part in its turns. */
  const theirs = (options: readonly string[], { step = 1, names = NAMES } = {}): Rows =>
    TURNS.flatMap(({ part, from, to }) => {
      const window = ['-S', isoOf(Math.ceil(from / step) * step), '-T', isoOf(to)];
      return rowsOf(pmrep(['-a', path.join(directory.path, part), ...window, ...options], names), { from, to });
    });

  it('has the same recorded samples, from whichever archive is finer', async () => {
    const expected = theirs(['-r', '-u']);
    expect(expected.length).toBe(5 + 9 + 4 + 16);
    expect(await ours('')).toEqual(expected);
  });

  it('has the same rates; they go on from one archive to another, but not over the gap and the reboot', async () => {
    const isBehindSeam = ([sec]: Rows[number]): boolean => [125, 210, 600].includes(sec);
    const found = await ours('rate=true');
    expect(found.filter((row) => !isBehindSeam(row))).toEqual(theirs(['-u']).filter((row) => !isBehindSeam(row)));
    const { coarse, fine } = PARTS;
    expect(found.filter(isBehindSeam).map(([, values]) => values['web.bytes'])).toEqual([
      (fine.bytes(125) - coarse.bytes(120)) / 5,
      (coarse.bytes(210) - fine.bytes(205)) / 5,
      undefined,
    ]);
  });

  // Gauges between two records are the nearer one's since PCP 7.2; the pmrep at hand may be older.
  it('has the same interpolated counters', async () => {
    const counters = NAMES.slice(1);
    const expected = theirs(['-r', '-t', '7'], { step: 7, names: counters });
    expect(await ours('interval=7', counters)).toEqual(expected);
  });

  it('has the same values as pmval prints', async () => {
    const expected = TURNS.flatMap(({ part, from, to }) =>
      pmval(['-r', '-U', path.join(directory.path, part)], 'web.bytes')
        .map(({ dayMs, value }) => [dayMs / 1000 - (START % 86_400), value])
        .filter(([sec]) => sec! >= from && sec! <= to),
    );
    expect((await ours('')).map(([sec, values]) => [sec, values['web.bytes']])).toEqual(expected);
  });
});

type Rows = readonly (readonly [sec: number, values: Readonly<Record<string, number>>])[];

/** The rows of a table in a time that have any value, with these values in seven digits. */
function rowsOf({ times, columns }: PmrepTable, { from, to }: { readonly from: number; readonly to: number }): Rows {
  return times.flatMap((time, row) => {
    const sec = time - START;
    const values = [...columns].flatMap(([name, cells]) => {
      const value = cells[row];
      return value === undefined ? [] : [[name, Number(value.toPrecision(7))] as const];
    });
    values.sort(([a], [b]) => (a < b ? -1 : 1));
    return sec < from || sec > to || values.length === 0 ? [] : [[sec, Object.fromEntries(values)] as const];
  });
}

function isoOf(sec: number): string {
  return `@${new Date((START + sec) * 1000).toISOString().slice(0, 19).replace('T', ' ')}`;
}
