/** Answers of the engine about an archive, as text: run in Node, and bundled for pages. */
import { ContextManager } from '../../src/context/index.js';
import { GivenArchives } from '../../src/viewer/index.js';
import { systemClock } from '../../src/pmapi/index.js';
import type { ArchiveSource, ByteFile } from '../../src/sources/archive/index.js';
import { recordsOf } from '../../src/sources/index.js';

/** Opens all archives among some files as one. */
export async function openGiven(files: ReadonlyMap<string, Uint8Array>): Promise<ArchiveSource> {
  const given = new GivenArchives(
    [...files].map(([name, bytes]): ByteFile => {
      const read = (at: number, length: number) => Promise.resolve(bytes.slice(at, at + length));
      return { name, size: bytes.length, read, close: () => Promise.resolve() };
    }),
  );
  return given.open({ kind: 'archive', archive: given.names.join() });
}

const DERIVED = {
  'given.busy': 'rate(kernel.all.cpu.user) / hinv.ncpu',
  'given.in': 'sum(network.interface.in.bytes) / 1024',
  'given.loaded': 'matchinst(/^5 /, kernel.all.load) * 2',
};

/** Label, names, metadata, and values: recorded, interpolated, as rates, and derived; a line each. */
export async function answersAbout(source: ArchiveSource): Promise<string> {
  const contexts = new ContextManager({
    sources: { open: () => Promise.resolve(source) },
    clock: systemClock,
    limits: { contexts: 1, pollTimeoutMs: 60_000, maxPollTimeoutMs: 60_000 },
  });
  const context = await contexts.create({ kind: 'archive', archive: 'given' });
  for (const [name, expression] of Object.entries(DERIVED)) await context.addDerived(name, expression);
  const recorded = await source.traverse('');
  const plan = await context.plans.get({ names: [...recorded, ...Object.keys(DERIVED)] });
  const answers: unknown[] = [await source.info(), plan.entries, plan.missing];
  for (const { pmid } of plan.entries) answers.push(await context.names.metadata(pmid));
  for (const parameters of [{}, { interval: '0.3' }, { rate: true }]) {
    const { samples } = await context.fetching.range(plan, parameters);
    for await (const { timestamp, isMark, result } of recordsOf(samples.batches())) {
      const values = result.sets.map(({ pmid, status, instances, column }) => {
        const count = Math.max(status, 0);
        // What is read next is read into the same arrays.
        const kept = column.texts.length > 0 ? [...column.texts] : [...column.numbers.subarray(0, count)].map(String);
        return [pmid, status, [...instances.subarray(0, count)], kept];
      });
      answers.push([timestamp, isMark, values]);
    }
  }
  return answers.map((answer) => JSON.stringify(answer)).join('\n');
}
