import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type PmgateClient, PmgateError } from '../../src/client/index.js';
import { compareWithPcp } from '../../src/proofs/index.js';
import { shell } from '../shell/fake-terminal.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const LOAD = {
  name: 'kernel.all.load',
  pmid: '60.2.0',
  indom: '60.2',
  type: 'float',
  sem: 'instant',
  units: 'none',
  labels: { agent: 'linux' },
  'text-oneline': 'load',
  'text-help': 'The load.',
};
const NCPU = {
  ...LOAD,
  name: 'hinv.ncpu',
  pmid: '60.0.32',
  indom: undefined,
  type: 'u32',
  sem: 'discrete',
  'text-oneline': 'processors',
  'text-help': '',
};

/** What pminfo prints about these two, by its flag; `-f` may be another text each time. */
const PRINTED = {
  '-dmt': `
kernel.all.load PMID: 60.2.0 [load]
    Data Type: float  InDom: 60.2 0xf000002
    Semantics: instant  Units: none

hinv.ncpu PMID: 60.0.32 [processors]
    Data Type: 32-bit unsigned int  InDom: PM_INDOM_NULL 0xffffffff
    Semantics: discrete  Units: none
`,
  '-T': '\nkernel.all.load\nHelp:\nThe load.\n\nhinv.ncpu\nHelp:\nprocessors\n',
  '-l': `
kernel.all.load
    inst [1 or "1 minute"] labels {"agent":"linux","minutes":1}
    labels {"agent":"linux"}

hinv.ncpu
    labels {"agent":"linux"}
`,
  '-f': '\nkernel.all.load\n    inst [1 or "1 minute"] value 4.1399999\n\nhinv.ncpu\n    value 2\n',
};

const temporary = temporaryDirectory();
let directory: string;
const { PATH } = process.env;

/** A pminfo that prints these texts; a text with `$(date +%N)` moves. */
function installPminfo(printed: Readonly<Record<string, string>> = PRINTED): void {
  const cases = Object.entries(printed).map(([flag, text]) => `${flag}) cat <<EOF\n${text}EOF\n;;`);
  const script = `#!/bin/sh\n[ "$1" = --version ] && { echo pminfo version 6.0.3; exit; }\ncase "$3" in\n${cases.join('\n')}\nesac\n`;
  writeFileSync(path.join(directory, 'pminfo'), script);
  chmodSync(path.join(directory, 'pminfo'), 0o755);
}

function clientWith(overrides: Partial<Record<keyof PmgateClient, unknown>> = {}): PmgateClient {
  return {
    metrics: () => Promise.resolve({ metrics: [LOAD, NCPU] }),
    indom: () =>
      Promise.resolve({
        labels: { agent: 'linux' },
        instances: [{ instance: 1, name: '1 minute', labels: { agent: 'linux', minutes: 1 } }],
      }),
    fetch: () =>
      Promise.resolve({
        values: [
          { name: 'kernel.all.load', instances: [{ instance: 1, value: 4.14 }] },
          { name: 'hinv.ncpu', instances: [{ instance: null, value: 2 }] },
        ],
      }),
    ...overrides,
  } as unknown as PmgateClient;
}

async function compare(client: PmgateClient): ReturnType<typeof compareWithPcp> {
  return compareWithPcp(client, 'host', new AbortController().signal);
}

beforeEach(() => {
  directory = temporary.fresh();
  process.env.PATH = `${directory}${path.delimiter}${PATH}`;
});
afterEach(() => {
  process.env.PATH = PATH;
});

it('counts what is equal', async () => {
  installPminfo();
  const { pcp, metrics, areas, differences } = await compare(clientWith());
  expect(differences).toEqual([]);
  expect({ pcp, metrics }).toEqual({ pcp: '6.0.3', metrics: 2 });
  expect(areas.map(({ area, equal, moving, wrong }) => [area, equal, moving, wrong])).toEqual([
    ['names', 2, 0, 0],
    ['descriptors', 2, 0, 0],
    ['help texts', 4, 0, 0],
    ['labels', 3, 0, 0],
    ['instances', 1, 0, 0],
    ['values', 2, 0, 0],
  ]);
});

it('tells each difference', async () => {
  installPminfo();
  const wrong = { ...NCPU, sem: 'instant', labels: { agent: 'other' }, 'text-oneline': 'cpus' };
  const client = clientWith({
    metrics: () => Promise.resolve({ metrics: [wrong, LOAD, { ...NCPU, name: 'mine' }] }),
    fetch: () => Promise.resolve({ values: [{ name: 'hinv.ncpu', instances: [{ instance: null, value: 3 }] }] }),
    indom: () => Promise.reject(new PmgateError('FORBIDDEN', 'no', { details: { pmErr: -12387 } as never })),
  });
  expect((await compare(client)).differences).toEqual([
    'names: mine: PCP has false, pmgate true',
    expect.stringMatching(/^descriptors: hinv\.ncpu: PCP has .*"discrete".*, pmgate .*"instant"/),
    'help texts: hinv.ncpu, one line: PCP has "processors", pmgate "cpus"',
    'help texts: hinv.ncpu: PCP has "processors", pmgate "cpus"',
    'labels: hinv.ncpu: PCP has [["agent","linux"]], pmgate [["agent","other"]]',
    'values: kernel.all.load 1: PCP has "4.1399999", pmgate nothing',
    'values: hinv.ncpu: PCP has "2", pmgate "3"',
  ]);
});

it('says nothing about values that move while they are read', async () => {
  installPminfo({ ...PRINTED, '-f': PRINTED['-f'].replace('value 2', 'value 1$(date +%N)') });
  const { areas, differences } = await compare(clientWith());
  expect(differences).toEqual([]);
  expect(areas.at(-1)).toEqual({ area: 'values', equal: 1, moving: 1, wrong: 0 });
});

describe('the commands, without PCP', () => {
  beforeEach(() => (process.env.PATH = directory));

  it.each(['conformance', 'bench'])('%s says what to install', async (command) => {
    const { code, stdout, stderr } = await shell([command]);
    expect(code).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^pmgate: pminfo of Performance Co-Pilot is not installed here: apt-get install pcp/);
  });

  it('says that there is no pmcd', async () => {
    writeFileSync(path.join(directory, 'pminfo'), '#!/bin/sh\necho "pminfo: Cannot connect to PMCD" >&2\nexit 1\n');
    chmodSync(path.join(directory, 'pminfo'), 0o755);
    const { code, stderr } = await shell(['conformance'], { environment: { PMCD_PORT: '4,5' } });
    expect(code).toBe(3);
    expect(stderr).toContain('there is no pmcd at 127.0.0.1:4: start it');
  });
});
