import { addSeconds, encodeUnits, FetchResult, formatTimestamp, MetricType, PmError } from '../../src/pmapi/index.js';
import type { LabelSet, LabelTarget, Timestamp, ValueSet } from '../../src/pmapi/index.js';
import { InstanceProfile } from '../../src/sources/index.js';
import type { ArchiveSource } from '../../src/sources/archive/index.js';
import { Interpolator } from '../../src/sources/archive/interpolator.js';

const PROFILE = new InstanceProfile();

/** Our answers about an archive, put as test/interop/support/archive-probe.py puts libpcp's. Pages run it, too. */
export class ArchiveAnswers {
  readonly #open: () => Promise<ArchiveSource>;
  #source: ArchiveSource | undefined;
  #interpolator: Interpolator | undefined;
  #at: Timestamp = { sec: 0, nsec: 0 };
  #end: Timestamp = { sec: 0, nsec: 0 };
  #deltaSec = 0;
  #chosen: number[] = [];
  readonly #result = new FetchResult();

  constructor(open: () => Promise<ArchiveSource>) {
    this.#open = open;
  }

  /** What we answer where libpcp answers `line`. */
  async like(line: string): Promise<string> {
    const words = line.split(' ');
    try {
      return await this.#answer(words);
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

  async #answer(words: readonly string[]): Promise<string> {
    const [kind] = words;
    if (kind === 'open') {
      this.#source = await this.#open();
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
        const [pmid] = await source.lookupNames([unhex(words[1]!)]);
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
        this.#interpolator = new Interpolator(source.opened, { stepRule: 'earlier' });
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
      const value = JSON.parse(unhex(json!)) as Record<string, unknown>;
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
      const view = new DataView(new ArrayBuffer(4));
      view.setFloat32(0, column.numbers[i]!);
      return hexOf(new Uint8Array(view.buffer));
    }
    case MetricType.DOUBLE: {
      const view = new DataView(new ArrayBuffer(8));
      view.setFloat64(0, column.numbers[i]!);
      return hexOf(new Uint8Array(view.buffer));
    }
    case MetricType.I32:
    case MetricType.U32:
      return String(column.numbers[i]!);
    case MetricType.STRING:
      return hex(column.texts[i]!);
    case MetricType.EVENT:
    case MetricType.HIGHRES_EVENT:
      return `#${column.bytes[i]!.length}`;
    default:
      return hexOf(column.bytes[i]!);
  }
}

function hex(text: string): string {
  return hexOf(new TextEncoder().encode(text));
}

function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function unhex(digits: string): string {
  const bytes = Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
