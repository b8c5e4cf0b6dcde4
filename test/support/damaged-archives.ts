/** Archives with damage, the same for the same numbers, and everything that can be asked of one. Pages run it, too. */
import type { ValueSet } from '../../src/pmapi/index.js';
import { addSeconds, FetchResult, GatewayError, INDOM_NULL, isWideType, PmError } from '../../src/pmapi/index.js';
import type { ArchiveSource } from '../../src/sources/archive/index.js';
import { InstanceProfile, recordsOf } from '../../src/sources/index.js';
import type { Random } from './random.js';

/** The files of an archive by what is behind the base name. */
export type Files = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/** What is told of an archive: that it opened, a record of it, another answer, an error that was expected. */
export type Told = 'opened' | 'record' | 'answer' | 'error';

const MIB = 1024 * 1024;
/** Of archives that are all small. */
export const DAMAGED_LIMITS = {
  inflatedFileBytes: 16 * MIB,
  inflatedTotalBytes: 32 * MIB,
  metadataBytes: 16 * MIB,
  recordBytes: 4 * MIB,
};
const MAX_STEPS = 300;
const EVERYTHING = new InstanceProfile();

type Tell = (kind: Told, what: () => unknown) => void;

/** Asks everything of an archive. Throws what is no error that an archive may give. */
export async function askEverything(open: () => Promise<ArchiveSource>, tell: Tell): Promise<void> {
  const tolerant = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      const answer = await work();
      tell('answer', () => answer);
    } catch (error) {
      if (!(error instanceof PmError || error instanceof GatewayError)) throw error;
      tell('error', () => [error instanceof PmError ? error.pmErr : error.code, error.message]);
    }
  };
  const into = new FetchResult();
  const steps = (step: () => Promise<unknown>, limit = MAX_STEPS): Promise<void> =>
    tolerant(async () => {
      for (let i = 0; i < limit; i++) {
        await step();
        tell('record', () => shown(into));
      }
    });
  await tolerant(async () => {
    const source = await open();
    tell('opened', () => source.label());
    const { start, end } = await source.info();
    const names = await source.traverse('');
    const pmids = (await source.lookupNames(names.slice(0, 50))).filter((pmid) => pmid >= 0);
    tell('answer', () => [start, end, names, pmids]);
    const middle = addSeconds(start!, (end!.sec - start!.sec) / 2);
    for (const descriptor of await source.describe(pmids)) {
      tell('answer', () => descriptor);
      if (typeof descriptor === 'number') continue;
      const { pmid, indom } = descriptor;
      await tolerant(() => source.helpText({ kind: 'metric', pmid }, 'help'));
      await tolerant(() => source.labels({ kind: 'item', pmid }, middle));
      if (indom === INDOM_NULL) continue;
      await tolerant(() => source.instances(indom, middle));
      await tolerant(() => source.instancesEver(indom));
      await tolerant(() => source.labels({ kind: 'instances', indom }, middle));
    }
    await tolerant(() => source.labels({ kind: 'context' }, middle));
    await steps(() => source.nextRecord(into));
    source.setMode({ mode: 'backward', time: end! });
    const prepared = source.prepare(pmids);
    await steps(() => source.fetch(prepared, EVERYTHING, into));
    source.setMode({ mode: 'interp', time: start!, intervalSec: 0.7 });
    await steps(() => source.fetch(prepared, EVERYTHING, into), 20);
    source.setMode({ mode: 'interp', time: end!, intervalSec: -1.3 });
    await steps(() => source.fetch(prepared, EVERYTHING, into), 20);
    await tolerant(() => readAll(source, pmids, tell));
    for (const pmid of pmids.slice(0, 3)) await tolerant(() => readBlocks(source, pmid, tell));
    await source.close();
  });
}

async function readAll(source: ArchiveSource, pmids: readonly number[], tell: Tell): Promise<void> {
  const { start, end } = await source.info();
  let left = MAX_STEPS;
  const batches = source.batches(source.prepare(pmids), EVERYTHING, start!, end!, damageTold(tell));
  for await (const { timestamp, result } of recordsOf(batches)) {
    if (Number.isNaN(timestamp.sec)) throw new Error('a record of no time');
    tell('record', () => shown({ timestamp, sets: result.sets }));
    if (--left === 0) return;
  }
}

/** The records of one metric in batches. */
async function readBlocks(source: ArchiveSource, pmid: number, tell: Tell): Promise<void> {
  const { start, end } = await source.info();
  let left = MAX_STEPS;
  const batches = source.batches(source.prepare([pmid]), EVERYTHING, start!, end!, damageTold(tell));
  for await (const { length, columns } of batches) {
    tell('answer', () => length);
    left -= length;
    for (const { block } of columns) {
      const last = block && (length - 1) * block.stride + Math.max(...block.places);
      if (block && last! >= block.numbers.length) throw new Error('a block of more records than it has numbers');
    }
    if (left <= 0) return;
  }
}

function damageTold(tell: Tell) {
  return { onDamage: (error: PmError): void => tell('error', () => [error.pmErr, error.message]) };
}

function shown({ timestamp, sets }: Pick<FetchResult, 'timestamp' | 'sets'>): unknown {
  const values = (set: ValueSet): readonly unknown[] =>
    Array.from({ length: Math.max(set.status, 0) }, (_, i) => [set.instances[i], shownValue(set, i)]);
  return [timestamp, sets.map((set) => [set.pmid, set.status, values(set)])];
}

function shownValue({ column, type }: ValueSet, i: number): string {
  if (column.texts.length > 0) return column.texts[i]!;
  if (column.bytes.length > 0) return column.bytes[i]!.join();
  if (isWideType(type)) return String(column.integerAt(i));
  const number = column.numbers[i]!;
  return Object.is(number, -0) ? '-0' : String(number);
}

function pick(random: Random, below: number): number {
  return Math.floor(random.between(0, below));
}

/** Mostly one; at most `most`. */
function few(random: Random, most: number): number {
  return random.isTrue(0.7) ? 1 : 1 + pick(random, most);
}

const NUMBERS = [0, 1, 4, 16, 0x7f, 0xff, 0xffff, 0xffffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];

/** Damage one or two files of an archive, in one to four places each. */
export function damage(files: Files, random: Random): Files {
  const damaged = new Map(files);
  const names = [...files.keys()];
  const volumes = names.filter((name) => /^\d/.test(name));
  for (let i = 0, n = few(random, 2); i < n; i++) {
    // Mostly the volumes: an archive whose metadata is damaged hardly ever opens.
    const among = random.isTrue(0.6) ? volumes : names;
    const name = random.pick(among);
    let bytes = damaged.get(name)!.slice();
    for (let k = 0, times = few(random, 4); k < times; k++) bytes = damageOnce(bytes, random);
    damaged.set(name, bytes);
  }
  return damaged;
}

function damageOnce(bytes: Uint8Array<ArrayBuffer>, random: Random): Uint8Array<ArrayBuffer> {
  const at = pick(random, bytes.length + 1);
  switch (pick(random, 7)) {
    case 0:
      if (at < bytes.length) bytes[at]! ^= 1 << pick(random, 8);
      return bytes;
    case 1:
      if (at < bytes.length) bytes[at] = pick(random, 256);
      return bytes;
    case 2:
    case 3: {
      const word = at & ~3;
      if (word + 4 <= bytes.length) new DataView(bytes.buffer).setUint32(word, random.pick(NUMBERS));
      return bytes;
    }
    case 4:
      return bytes.slice(0, at);
    case 5: {
      const junk = Uint8Array.from({ length: 1 + pick(random, 40) }, () => pick(random, 256));
      return inserted(bytes, at, junk);
    }
    default: {
      // A piece of the file once more, somewhere else.
      const from = pick(random, bytes.length + 1);
      const piece = bytes.subarray(from, from + pick(random, 400));
      return inserted(bytes, at, piece);
    }
  }
}

function inserted(bytes: Uint8Array<ArrayBuffer>, at: number, piece: Uint8Array): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(bytes.length + piece.length);
  longer.set(bytes.subarray(0, at));
  longer.set(piece, at);
  longer.set(bytes.subarray(at), at + piece.length);
  return longer;
}
