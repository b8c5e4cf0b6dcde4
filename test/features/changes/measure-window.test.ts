import { cpSync } from 'node:fs';
import { describeFinding } from '../../../src/features/changes/sentence.js';
import { findChanges } from '../../../src/features/changes/find-changes.js';
import { measureTwoWindows } from '../../../src/features/changes/two-windows.js';
import { measureWindow } from '../../../src/features/changes/measure-window.js';
import { type Context, ContextManager, type FetchPlan } from '../../../src/context/index.js';
import { atOnce } from '../../../src/kit/index.js';
import { encodeUnits, MetricType, parseUnits, Semantics, systemClock } from '../../../src/pmapi/index.js';
import { ArchiveBuilder } from '../../support/archive-builder.js';
import { BUILT_START, type OpenedArchives, archiveFactory } from '../../support/archive-gateway.js';
import { plantIncidents, writeIncidents } from './planted-incidents.js';
import { rows } from '../../support/rows.js';

let opened: OpenedArchives;
let contexts: ContextManager;
let context: Context;
let plan: FetchPlan;

beforeAll(async () => {
  opened = archiveFactory();
  contexts = new ContextManager({
    sources: { open: (spec) => opened.open(spec.kind === 'archive' ? spec.archive : '') },
    clock: systemClock,
    limits: { contexts: 10, pollTimeoutMs: 60_000, maxPollTimeoutMs: 60_000 },
  });
  context = await contexts.shared({ kind: 'archive', archive: 'built' });
  plan = await context.plans.get({ names: ['test.counter', 'test.gauge', 'test.text'] });
});
afterAll(() => opened.close());

const window = { start: String(BUILT_START), finish: String(BUILT_START + 9) };

describe('a measured window', () => {
  it('has a number for each part: the mean, of counters the rate; and the last of texts', async () => {
    const { window: measured, damage } = await measureWindow(context, plan, window, 3, {});
    expect(damage).toBeUndefined();
    expect(measured).toMatchObject({ parts: 3, start: { sec: BUILT_START }, finish: { sec: BUILT_START + 9 } });
    const of = (name: string): unknown[] =>
      measured.series
        .filter(({ metric }) => metric.name === name)
        .map(({ instance, numbers, texts }) => [instance, numbers ? [...numbers] : texts]);
    // Ten bytes more in each second; no rate across the mark at 5.
    expect(of('test.counter')).toEqual([[undefined, [10, 10, 10]]]);
    expect(of('test.gauge')).toContainEqual(['red', [1, 3.5, NaN]]);
    expect(of('test.text')).toMatchObject([[undefined, [expect.any(String), expect.any(String), expect.any(String)]]]);
  });

  it('knows rates of a time as shares of the time that passed', async () => {
    cpSync('test/fixtures/archives', opened.root, { recursive: true });
    const recorded = await contexts.shared({ kind: 'archive', archive: 'live-v3' });
    const names = ['kernel.all.cpu.user', 'kernel.all.load'];
    const { window: measured } = await measureWindow(recorded, await recorded.plans.get({ names }), {}, 3, {});
    expect(measured.metrics.map(({ units, isShare }) => [units, isShare])).toEqual(rows(['', true], ['', false]));
  });

  it('knows the units of times that are no counters', async () => {
    const builder = new ArchiveBuilder({ version: 3, start: [BUILT_START, 0] });
    const metrics = [
      { name: 'up', semantics: Semantics.INSTANT, units: 'millisec' },
      { name: 'busy', semantics: Semantics.COUNTER, units: 'sec' },
      { name: 'size', semantics: Semantics.INSTANT, units: 'byte' },
    ];
    for (const [i, { name, semantics, units }] of metrics.entries()) {
      const word = encodeUnits(parseUnits(units).units);
      builder.metric({ pmid: i + 1, names: [name], type: MetricType.U64, semantics, units: word });
    }
    const values = metrics.map((_, i) => ({ pmid: i + 1, values: [[-1, 1]] as const }));
    for (const sec of [0, 1]) builder.record([BUILT_START + sec, 0], values);
    builder.write(opened.root, 'times');
    const times = await contexts.shared({ kind: 'archive', archive: 'times' });
    const timesPlan = await times.plans.get({ names: metrics.map(({ name }) => name) });
    const { window: measured } = await measureWindow(times, timesPlan, {}, 3, {});
    expect(measured.metrics.map(({ unitSec }) => unitSec)).toEqual([0.001, undefined, undefined]);
  });

  it('stops when its client leaves', async () => {
    const leaving = new AbortController();
    const gone = new Error('gone');
    const measuring = measureWindow(
      { fetching: leavesAfterReading(leaving, gone) } as unknown as Context,
      plan,
      window,
      3,
      { signal: leaving.signal },
    );
    await expect(measuring).rejects.toBe(gone);
  });
});

describe('incidents in archives with counters that wrap, missing values and interruptions', () => {
  it.each([
    [1, 3],
    [2, 1],
    [3, 0],
  ])('seed %i: %i of them', async (seed, incidents) => {
    const made = plantIncidents({ seed, incidents, metrics: 20, instances: 4 });
    writeIncidents(made, opened.root, `incidents${seed}`);
    const of = await contexts.shared({ kind: 'archive', archive: `incidents${seed}` });
    const all = await of.plans.get({ prefixes: [''], most: 100 });
    const chosen = { after: { start: String(made.after.start.sec), finish: undefined } };
    const { before, after } = await measureTwoWindows(of, all, chosen, {});
    const { findings, compared } = atOnce(findChanges(before, after));
    expect(compared).toBe(80);
    const found = findings.flatMap((finding) => ('lead' in finding ? [finding.lead, ...finding.alike] : []));
    expect(findings.length).toBeLessThanOrEqual(Math.max(incidents, 1));
    const names = found.map((one) => `${one.after.metric.name.replace('.value', '')} ${one.after.instance}`);
    expect([findings.map((finding) => describeFinding(finding)), names.sort()]).toEqual([
      expect.any(Array),
      [...made.planted].sort(),
    ]);
  });
});

/** The context's ranges, whose client leaves when the last sample has been read. */
function leavesAfterReading(leaving: AbortController, reason: Error): Context['fetching'] {
  return {
    range: async (...parameters: Parameters<Context['fetching']['range']>) => {
      const range = await context.fetching.range(parameters[0], parameters[1], {});
      const { samples } = range;
      return {
        ...range,
        samples: {
          metrics: samples.metrics,
          async *batches() {
            yield* samples.batches();
            leaving.abort(reason);
          },
        },
      };
    },
  } as unknown as Context['fetching'];
}
