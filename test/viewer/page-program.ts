/** What the engine answers, as text: run in Node, and bundled for pages. */
import { ContextManager } from '../../src/context/index.js';
import { GivenArchives, openGiven, type GivenFile } from '../../src/viewer/index.js';
import { systemClock } from '../../src/pmapi/index.js';
import { UnpackError } from '../../src/sources/archive/index.js';
import type { ArchiveLimits, ArchiveSource, UnpackLimits } from '../../src/sources/archive/index.js';
import { recordsOf } from '../../src/sources/index.js';
import { readCaseScript } from '../derived/support/case-script.js';
import { examineAll } from '../derived/support/examine.js';
import { Given } from '../derived/support/given.js';
import { ArchiveAnswers } from '../support/archive-answers.js';
import { askEverything, damage, DAMAGED_LIMITS, type Files } from '../support/damaged-archives.js';
import { Random } from '../support/random.js';

/** Opens all archives among some files as one. */
async function openAll(files: readonly GivenFile[], limits: Partial<ArchiveLimits> = {}): Promise<ArchiveSource> {
  const given = new GivenArchives(await openGiven(files), limits);
  return given.open({ kind: 'archive', archive: given.names.join() });
}

/** What an archive among some files answers where libpcp gave some lines. */
export async function probeAnswers(files: readonly GivenFile[], lines: readonly string[]): Promise<readonly string[]> {
  const answers = new ArchiveAnswers(() => openAll(files));
  const ours: string[] = [];
  for (const line of lines) ours.push(await answers.like(line));
  return ours;
}

/** What the cases of a script expect, and what there is. */
export function caseAnswers(file: string, script: string): ReturnType<typeof examineAll> {
  const { given, cases } = readCaseScript(file, script);
  return examineAll(new Given(given), cases);
}

/** Files of {@link openGiven} by their name, size and some of their bytes, or why there are none. */
export async function givenFiles(files: readonly GivenFile[], limits?: UnpackLimits): Promise<readonly string[]> {
  try {
    const found = await openGiven(files, { limits });
    return await Promise.all(found.map(async (file) => `${file.name} ${file.size} ${(await file.read(0, 64)).join()}`));
  } catch (error) {
    if (error instanceof UnpackError) return [error.message];
    throw error;
  }
}

/** Everything that is said of archives that are damaged: those of some numbers, a text each. */
export async function damagedAnswers(
  archives: readonly Readonly<Record<string, Blob>>[],
  [from, to]: readonly [number, number],
  open = (files: Files) =>
    openAll(
      [...files].map(([suffix, bytes]) => ({ path: `a.${suffix}`, blob: new Blob([bytes]) })),
      DAMAGED_LIMITS,
    ),
): Promise<readonly string[]> {
  const originals = await Promise.all(
    archives.map(async (files) => {
      const entries = Object.entries(files).map(
        async ([suffix, blob]) => [suffix, new Uint8Array(await blob.arrayBuffer())] as const,
      );
      return new Map(await Promise.all(entries));
    }),
  );
  const answers: string[] = [];
  for (let i = from; i < to; i++) {
    const random = new Random(i);
    const files = damage(random.pick(originals), random);
    const told: unknown[] = [[...files.keys()]];
    await askEverything(
      () => open(files),
      (kind, what) => told.push([kind, what()]),
    );
    answers.push(
      told
        .map((one) => JSON.stringify(one, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)))
        .join('\n'),
    );
  }
  return answers;
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
  const refused: string[] = [];
  for (const [name, expression] of Object.entries(DERIVED)) {
    await context.addDerived(name, expression).catch((error: unknown) => refused.push((error as Error).message));
  }
  const recorded = await source.traverse('');
  const plan = await context.plans.get({ names: [...recorded, ...Object.keys(DERIVED)] });
  const answers: unknown[] = [refused, await source.info(), plan.entries, plan.missing];
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

/** {@link answersAbout} all archives among some files. */
export async function answersAboutAll(files: readonly GivenFile[]): Promise<readonly string[]> {
  return (await answersAbout(await openAll(files))).split('\n');
}
