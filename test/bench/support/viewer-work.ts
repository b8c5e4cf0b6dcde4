/** What a page does with archives that it is given, timed: bundled for browsers. */
import { ContextManager } from '../../../src/context/index.js';
import { systemClock } from '../../../src/pmapi/index.js';
import type { ArchiveSource, ByteFile } from '../../../src/sources/archive/index.js';
import { recordsOf } from '../../../src/sources/index.js';
import { GivenArchives, openGiven, type GivenFile } from '../../../src/viewer/index.js';

export interface Looked {
  readonly archives: number;
  /** How often progress was told. */
  readonly told: number;
  /** Until the archives were out of what was given. */
  readonly openedMs: number;
  /** From then until the label and the end of each were known. */
  readonly listedMs: number;
  /** From then until the first range was there. */
  readonly rangeMs: number;
  readonly samples: number;
  readonly bytesRead: number;
}

let files: readonly GivenFile[] = [];

/** Takes the files that are looked at next. */
export function take(given: readonly GivenFile[]): void {
  files = given;
}

/** Opens and lists archives, and reads a range over the first of them. */
export async function look(names: readonly string[], interval: string): Promise<Looked> {
  let [told, bytesRead, samples] = [0, 0, 0];
  const start = performance.now();
  const given = await openGiven(files, { onProgress: () => told++ });
  const opened = performance.now();
  const archives = new GivenArchives(
    given.map((file): ByteFile => ({
      ...file,
      read: (offset, length, take) => {
        bytesRead += length;
        return file.read(offset, length, take);
      },
    })),
  );
  const sources: ArchiveSource[] = [];
  for (const archive of archives.names) {
    const source = await archives.open({ kind: 'archive', archive });
    await source.info();
    sources.push(source);
  }
  const listed = performance.now();
  const contexts = new ContextManager({
    sources: { open: () => Promise.resolve(sources[0]!) },
    clock: systemClock,
    limits: { contexts: 1, pollTimeoutMs: 60_000, maxPollTimeoutMs: 60_000 },
  });
  const context = await contexts.create({ kind: 'archive', archive: 'given' });
  const plan = await context.plans.get({ names });
  const range = await context.fetching.range(plan, { interval, rate: true });
  for await (const { result } of recordsOf(range.samples.batches())) samples += result.sets.length;
  const read = performance.now();
  return {
    archives: sources.length,
    told,
    openedMs: opened - start,
    listedMs: listed - opened,
    rangeMs: read - listed,
    samples,
    bytesRead,
  };
}
