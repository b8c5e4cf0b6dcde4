/** What `why` may cost where it is not asked for: fetches of derived metrics, and ranges with rates. Bundled twice by why.bench.ts. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ContextManager } from '../../../src/context/index.js';
import { RangeTrace } from '../../../src/context/range/metric-pipeline.js';
import { parseSelection } from '../../../src/context/selection/selection.js';
import { loadConfig } from '../../../src/config/index.js';
import { DefinitionStore } from '../../../src/derived/index.js';
import { Archives } from '../../../src/gateway/targets/archives.js';
import { Semantics, systemClock, MetricType } from '../../../src/pmapi/index.js';
import { recordsOf } from '../../../src/sources/index.js';
import { ArchiveBuilder } from '../../support/archive-builder.js';
import { descriptor, memoryGateway } from '../../support/memory-gateway.js';

const METRICS = 20;
const INSTANCES = 64;
const RECORDS = 500;
const START = 1_000_000;
const DOMAIN = 100 * 2 ** 22;

/** Work that is measured. */
export interface Work {
  /** A fetch of {@link METRICS} derived metrics over {@link INSTANCES} instances. */
  fetch(): Promise<void>;
  /** The same, with what `why` takes down. */
  tracedFetch(): Promise<void>;
  /** A range of {@link RECORDS} samples of {@link METRICS} metrics as rates and of a derived metric, row by row. */
  range(): Promise<void>;
  close(): Promise<void>;
}

/** Set the work up: a live source in memory, and an archive in a temporary directory. */
export async function makeWork(): Promise<Work> {
  const names = Array.from({ length: METRICS }, (_, i) => `m.n${i}`);
  const derived = names.map((_, i) => `d.n${i}`);
  const definitions = new DefinitionStore();
  for (const [i, name] of derived.entries()) definitions.register(name, `100 * m.n${i} / (m.n${i} + m.n0)`);
  const instances = Array.from({ length: INSTANCES }, (_, id) => ({ id, name: `i${id}` }));
  const metrics = names.map((name, i) => ({
    name,
    descriptor: descriptor(DOMAIN + i + 1, { type: MetricType.DOUBLE, indom: DOMAIN, semantics: Semantics.INSTANT }),
    values: new Map(instances.map(({ id }) => [id, i * 10 + id + 0.5])),
  }));
  const live = memoryGateway({
    content: { hostName: 'a', metrics, indoms: [{ indom: DOMAIN, instances }] },
    definitions,
  });
  const context = await live.contexts.create({ kind: 'host', hostspec: 'a' });
  const plan = await context.plans.get({ names: derived });

  const directory = mkdtempSync(path.join(os.tmpdir(), 'why-bench-'));
  const builder = new ArchiveBuilder({ version: 3, start: [START, 0] });
  for (const [i, name] of names.entries())
    builder.metric({ pmid: DOMAIN + i + 1, names: [name], type: 3, semantics: 1 });
  for (let k = 0; k < RECORDS; k++) {
    const sets = names.map((_, i) => ({ pmid: DOMAIN + i + 1, values: [[-1, BigInt(k * (i + 1) * 1000)]] as const }));
    builder.record([START + k, 0], sets);
  }
  builder.write(directory, 'work');
  const archives = new Archives(systemClock, { ...loadConfig({}).archives, roots: [directory] });
  const limits = { contexts: 10, pollTimeoutMs: 60_000, maxPollTimeoutMs: 60_000 };
  const sources = { open: () => archives.open({ archive: 'work' }) };
  const contexts = new ContextManager({ sources, clock: systemClock, limits, definitions });
  const recorded = await contexts.create({ kind: 'archive', archive: 'work' });
  const recordedPlan = await recorded.plans.get({ names: [...names, 'd.n1'] });

  return {
    fetch: async () => {
      await context.fetching.fetch(plan, ({ sets }) => sets.length);
    },
    tracedFetch: async () => {
      await context.fetching.fetch(plan, ({ sets }) => sets.length, undefined, new RangeTrace());
    },
    range: async () => {
      let count = 0;
      const selection = parseSelection({ rate: true });
      const range = await recorded.fetching.range(recordedPlan, {}, { selection });
      for await (const { isMark } of recordsOf(range.samples.batches())) if (!isMark) count++;
      if (count !== RECORDS) throw new Error(`${count} of ${RECORDS} samples`);
    },
    close: async () => {
      await live.contexts.close();
      await contexts.close();
      await archives.close();
      rmSync(directory, { recursive: true });
    },
  };
}
