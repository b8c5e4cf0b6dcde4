import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import {
  addSeconds,
  FetchResult,
  formatTimestamp,
  MetricType,
  encodeUnits,
  PmError,
  systemClock,
} from '../../src/pmapi/index.js';
import type { LabelSet, LabelTarget, Timestamp, ValueSet } from '../../src/pmapi/index.js';
import { InstanceProfile } from '../../src/sources/index.js';
import { ArchiveStore } from '../../src/sources/archive/index.js';
import type { ArchiveSource } from '../../src/sources/archive/index.js';
import { Interpolator } from '../../src/sources/archive/interpolator.js';
import { hasTestsuite, probeArchive, TESTSUITE_ARCHIVES } from './support/archive-probe.js';

const MAX_RECORDS = 400;
const MAX_METRICS = 24;
const PROFILE = new InstanceProfile();

/**
 * Where libpcp 6.0.3 and pmgate differ on purpose: archive, and what of it.
 *
 * - 6.0.3 crashes or loops on some archives: what it said before is compared.
 * - Instantaneous and discrete numbers: 6.0.3 always takes the earlier neighbour, so it is compared by that rule.
 */
const KNOWN_DIFFERENCES: readonly { readonly archive: RegExp; readonly line: RegExp; readonly why: string }[] = [];

describe('archives read by libpcp and by pmgate', () => {
  if (!hasTestsuite()) {
    process.stderr.write('archive interop: SKIPPED, pcp-testsuite is not installed\n');
    it.skip('needs pcp-testsuite', () => undefined);
    return;
  }
  const names = archiveNames();
  const score = { archives: 0, whole: 0, lines: 0, equal: 0, known: 0 };
  const failures: string[] = [];

  it('finds at least 40 archives', () => {
    expect(names.length).toBeGreaterThan(40);
  });

  it('answers alike', async () => {
    const only = process.env.PMGATE_INTEROP_ARCHIVE;
    for (const name of names.filter((candidate) => only === undefined || candidate === only)) {
      await compare(name);
    }
    process.stderr.write(
      `archive interop: ${score.equal} of ${score.lines} answers equal (${score.known} known differences); ` +
        `${score.whole} of ${score.archives} archives equal throughout\n`,
    );
    expect(failures).toEqual([]);
  }, 900_000);

  async function compare(name: string): Promise<void> {
    const file = path.join(TESTSUITE_ARCHIVES, name);
    const probed = await probeArchive(file, MAX_RECORDS, MAX_METRICS);
    if (probed.ended !== 'whole') {
      process.stderr.write(`archive interop: libpcp ${probed.ended} on ${name} after ${probed.lines.length} answers\n`);
    }
    const store = new ArchiveStore({ clock: systemClock });
    const answers = new Answers();
    let isWhole = true;
    try {
      for (const line of probed.lines) {
        const ours = await answers.like(line, file, store);
        score.lines++;
        if (ours === line) {
          score.equal++;
          continue;
        }
        if (KNOWN_DIFFERENCES.some((known) => known.archive.test(name) && known.line.test(line))) {
          score.known++;
          continue;
        }
        isWhole = false;
        if (failures.length < 3000) failures.push(`${name}: ${firstDifference(line, ours)}`);
      }
    } finally {
      await answers.close();
      await store.close();
    }
    score.archives++;
    if (isWhole) score.whole++;
  }
});

/** Our answers, put as the probe puts libpcp's. */
class Answers {
  #source: ArchiveSource | undefined;
  #interpolator: Interpolator | undefined;
  #at: Timestamp = { sec: 0, nsec: 0 };
  #end: Timestamp = { sec: 0, nsec: 0 };
  #deltaSec = 0;
  #chosen: number[] = [];
  readonly #result = new FetchResult();

  /** What we answer where libpcp answers `line`. */
  async like(line: string, file: string, store: ArchiveStore): Promise<string> {
    const words = line.split(' ');
    try {
      return await this.#answer(words, file, store);
    } catch (error) {
      if (!(error instanceof PmError)) throw error;
      switch (words[0]) {
        case 'open':
          return `open ${error.pmErr}`;
        case 'ever':
          return `ever ${words[1]!} ${error.pmErr}`;
        case 'indom':
          return `indom ${words[1]!} ${words[2]!} ${error.pmErr}`;
        case 'record':
        case 'records':
          return `records end ${error.pmErr}`;
        case 'interp':
          return `interp end ${error.pmErr}`;
        default:
          return `${words[0]!} ${error.pmErr}`;
      }
    }
  }

  async close(): Promise<void> {
    await this.#source?.close();
  }

  async #answer(words: readonly string[], file: string, store: ArchiveStore): Promise<string> {
    const [kind] = words;
    if (kind === 'open') {
      this.#source = await store.open([file]);
      return 'open 0';
    }
    const source = this.#source!;
    switch (kind) {
      case 'label': {
        const { version, pid, start, hostName, timezone } = source.label();
        return `label ${version} ${pid} ${formatTimestamp(start)} ${hex(hostName)} ${hex(timezone)}`;
      }
      case 'end':
        this.#end = await source.end();
        return `end ${formatTimestamp(this.#end)}`;
      case 'desc': {
        const [pmid] = await source.lookupNames([Buffer.from(words[1]!, 'hex').toString()]);
        const [found] = await source.describe([pmid!]);
        if (typeof found !== 'object') return `desc ${words[1]!} ${String(found)}`;
        const { type, indom, semantics, units } = found;
        return `desc ${words[1]!} ${found.pmid} ${type} ${indom} ${semantics} ${encodeUnits(units)}`;
      }
      case 'ever':
        return `ever ${words[1]!} ${shownInstances(await source.instancesEver(Number(words[1])))}`;
      case 'indom': {
        const found = await source.instances(Number(words[2]), parseStamp(words[1]!));
        return `indom ${words[1]!} ${words[2]!} ${shownInstances(found)}`;
      }
      case 'labels': {
        const target = labelTarget(words[1]!, Number(words[2]));
        const head = words.slice(0, target.kind === 'context' ? 2 : 3).join(' ');
        // The probe's position is the archive's end when it asks.
        return `${head} ${shownLabels(await source.labels(target, this.#end), words.slice(head.split(' ').length))}`;
      }
      case 'text': {
        const ident = Number(words[2]);
        const target =
          words[1] === 'metric' ? { kind: 'metric' as const, pmid: ident } : { kind: 'indom' as const, indom: ident };
        const shown: string[] = [];
        for (const [i, level] of (['oneline', 'help'] as const).entries()) {
          const text = await source.helpText(target, level);
          // Without any text in the archive libpcp says PM_ERR_NOTHOST, with some PM_ERR_TEXT.
          const absent = /^-123(49|69)$/.test(words[3 + i]!) ? words[3 + i]! : 'absent';
          shown.push(text === undefined ? absent : hex(text));
        }
        return `text ${words[1]!} ${words[2]!} ${shown.join(' ')}`;
      }
      case 'record':
      case 'records': {
        const { timestamp } = await source.nextRecord(this.#result);
        return `record ${formatTimestamp(timestamp)} ${this.#result.sets.map(shownSet).join(' ')}`;
      }
      case 'chosen':
        this.#chosen = words.slice(1).map(Number);
        return words.join(' ');
      case 'mode':
        this.#interpolator = new Interpolator(source.archive, 'earlier');
        this.#at = parseStamp(words[1]!);
        this.#deltaSec = Number(words[2]) / 1e9;
        return words.join(' ');
      case 'interp': {
        const at = this.#at;
        this.#at = addSeconds(at, this.#deltaSec);
        await this.#interpolator!.fetch(this.#chosen, PROFILE, at, this.#end, this.#result);
        return `interp ${formatTimestamp(at)} ${this.#result.sets.map(shownSet).join(' ')}`;
      }
      default:
        throw new Error(`the probe says ${words.join(' ')}`);
    }
  }
}

function archiveNames(): readonly string[] {
  const bases = readdirSync(TESTSUITE_ARCHIVES)
    .map((entry) => /^(.*)\.meta(\.xz|\.bz2|\.gz)?$/.exec(entry)?.[1])
    .filter((base) => base !== undefined);
  const folders = ['multi', 'multi-xz', 'multi-xz-1k'].filter((name) =>
    existsSync(path.join(TESTSUITE_ARCHIVES, name)),
  );
  return [...new Set([...bases, ...folders])].sort();
}

function parseStamp(text: string): Timestamp {
  const [sec, nsec] = text.split('.');
  return { sec: Number(sec), nsec: Number(nsec) };
}

function labelTarget(kind: string, ident: number): LabelTarget {
  switch (kind) {
    case 'domain':
      return { kind, domain: ident };
    case 'indom':
    case 'instances':
      return { kind, indom: ident };
    case 'item':
    case 'cluster':
      return { kind, pmid: ident };
    default:
      return { kind: 'context' };
  }
}

function shownInstances({ instances }: { readonly instances: readonly { id: number; name: string }[] }): string {
  return instances
    .map(({ id, name }) => `${id}=${hex(name)}`)
    .sort()
    .join(' ');
}

/** Labels as libpcp shows them, when what its JSON says is what ours say. */
function shownLabels(sets: readonly LabelSet[], theirs: readonly string[]): string {
  const canonical = (labels: Record<string, unknown>): string => JSON.stringify(Object.entries(labels).sort());
  const ours = sets
    .filter((set) => set.labels.length > 0)
    .sort((a, b) => a.instance - b.instance)
    .map(({ instance, labels }) => {
      const parsed = Object.fromEntries(labels.map(({ name, json }) => [name, JSON.parse(json) as unknown]));
      return `${instance}=${canonical(parsed)}`;
    });
  const parsed = theirs
    .filter((word) => word !== '')
    .map((word) => {
      const [instance, json] = word.split('=');
      const value = JSON.parse(Buffer.from(json!, 'hex').toString()) as Record<string, unknown>;
      return `${instance!}=${canonical(value)}`;
    });
  return ours.join(' ') === parsed.join(' ') ? theirs.join(' ') : ours.join(' ');
}

function shownSet(set: ValueSet): string {
  const values: [instance: number, shown: string][] = [];
  for (let i = 0; i < set.status; i++) values.push([set.instances[i]!, shownValue(set, i)]);
  values.sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1));
  return `${set.pmid}:${set.status}:${values.map(([instance, shown]) => `${instance}=${shown}`).join(',')}`;
}

function shownValue({ column, type }: ValueSet, i: number): string {
  switch (type) {
    case MetricType.I64:
    case MetricType.U64:
      return String(column.integerAt(i));
    case MetricType.FLOAT: {
      const bytes = Buffer.alloc(4);
      bytes.writeFloatBE(column.numbers[i]!);
      return bytes.toString('hex');
    }
    case MetricType.DOUBLE: {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleBE(column.numbers[i]!);
      return bytes.toString('hex');
    }
    case MetricType.I32:
    case MetricType.U32:
      return String(column.numbers[i]!);
    case MetricType.STRING:
      return hex(column.texts[i]!);
    default:
      return Buffer.from(column.bytes[i]!).toString('hex');
  }
}

function hex(text: string): string {
  return Buffer.from(text).toString('hex');
}

function firstDifference(theirs: string, ours: string): string {
  const [a, b] = [theirs.split(' '), ours.split(' ')];
  const at = a.findIndex((word, i) => word !== b[i]);
  const where = at < 0 ? a.length : at;
  return `${a.slice(0, 2).join(' ')} … libpcp ${String(a[where]).slice(0, 160)} pmgate ${String(b[where]).slice(0, 160)}`;
}
