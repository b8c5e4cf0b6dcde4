import {
  INDOM_NULL,
  INSTANCE_NULL,
  MetricType,
  PM_ERR,
  Semantics,
  ValueSet,
  formatIndom,
  formatMetricType,
  formatSemantics,
  formatUnits,
  isWideType,
  makePmid,
  parseIndom,
  parseUnits,
} from '../../../src/pmapi/index.js';
import type { InstanceDomain, MetricDescriptor, PmErrName } from '../../../src/pmapi/index.js';
import type { BindingEnvironment, NodeMetadata } from '../../../src/derived/index.js';
import type { GivenBlock } from './case-script.js';

const TYPES: Readonly<Record<string, MetricType>> = {
  '32': MetricType.I32,
  U32: MetricType.U32,
  '64': MetricType.I64,
  U64: MetricType.U64,
  FLOAT: MetricType.FLOAT,
  DOUBLE: MetricType.DOUBLE,
  STRING: MetricType.STRING,
  AGGREGATE: MetricType.AGGREGATE,
  EVENT: MetricType.EVENT,
};
const SEMANTICS: Readonly<Record<string, Semantics>> = {
  counter: Semantics.COUNTER,
  instant: Semantics.INSTANT,
  discrete: Semantics.DISCRETE,
};

/** One fetch of a script. */
export interface GivenSample {
  readonly seconds: number;
  readonly values: ReadonlyMap<string, string>;
}

/** The metrics, instances and samples that a script's cases are about. */
export class Given implements BindingEnvironment {
  readonly metrics = new Map<string, MetricDescriptor>();
  readonly domains = new Map<number, InstanceDomain>();
  readonly derived = new Set<string>();
  readonly samples: GivenSample[] = [];

  constructor(blocks: readonly GivenBlock[]) {
    for (const { word, rest, lines } of blocks) {
      if (word === 'metrics') lines.forEach((line) => this.#addMetric(line));
      else if (word === 'instances') this.#addInstances(rest, lines);
      else if (word === 'derived') rest.split(' ').forEach((name) => this.derived.add(name));
      else this.samples.push(readSample(rest, lines));
    }
  }

  operand(name: string): ReturnType<BindingEnvironment['operand']> {
    const descriptor = this.metrics.get(name);
    if (descriptor) return { descriptor };
    const isNode = [...this.metrics.keys()].some((each) => each.startsWith(`${name}.`));
    return { error: isNode ? PM_ERR.NONLEAF : PM_ERR.NAME };
  }

  isDerived(name: string): boolean {
    return this.derived.has(name);
  }

  /** The values of a metric in a sample, as a fetch would give them. */
  valuesOf({ name, descriptor }: { name: string; descriptor: MetricDescriptor }, sample: GivenSample): ValueSet {
    const set = new ValueSet();
    set.reset(descriptor.pmid, descriptor.type);
    const text = sample.values.get(name) ?? 'none';
    if (text === 'none') return set;
    const error = /^error PM_ERR_(\w+)$/.exec(text);
    if (error) {
      set.fail(PM_ERR[error[1] as PmErrName]);
      return set;
    }
    for (const part of descriptor.indom === INDOM_NULL ? [text] : text.split(' ')) {
      const [instance, value] = descriptor.indom === INDOM_NULL ? ['', part] : splitPair(part);
      const id = instance === '' ? INSTANCE_NULL : this.#instanceId(descriptor.indom, instance);
      if (descriptor.type === MetricType.STRING) set.addText(id, value.slice(1, -1));
      else if (isWideType(descriptor.type)) set.addInteger(id, BigInt(value));
      else set.addNumber(id, Number(value));
    }
    return set;
  }

  /** A value set in the words of a script. */
  describe(set: ValueSet, indom: number): string {
    if (set.status < 0) {
      const name = Object.entries(PM_ERR).find(([, code]) => code === set.status)?.[0];
      return `error PM_ERR_${name ?? set.status}`;
    }
    if (set.status === 0) return 'none';
    const values: string[] = [];
    for (let i = 0; i < set.status; i++) {
      const id = set.instances[i]!;
      const value =
        set.type === MetricType.STRING
          ? `"${set.column.texts[i]!}"`
          : isWideType(set.type)
            ? String(set.column.integerAt(i))
            : String(set.column.numbers[i]);
      const name = this.domains.get(indom)?.instances.find((instance) => instance.id === id)?.name;
      values.push(id === INSTANCE_NULL ? value : `${name?.split(' ')[0] ?? `#${id}`}=${value}`);
    }
    return values.join(' ');
  }

  #addMetric(line: string): void {
    const match = /^(\S+) +(\S+) +(\S+) +(\S+) +"(.*)"$/.exec(line);
    const [, name = '', typeText = '', semanticsText = '', indomText = '', units = ''] = match ?? [];
    const [type, semantics] = [TYPES[typeText], SEMANTICS[semanticsText]];
    const indom = indomText === '-' ? INDOM_NULL : parseIndom(indomText);
    if (type === undefined || semantics === undefined || indom === undefined) throw new Error(`no metric: ${line}`);
    const pmid = makePmid(100, 0, this.metrics.size + 1);
    this.metrics.set(name, { pmid, type, semantics, indom, units: parseUnits(units).units });
  }

  #addInstances(indomText: string, lines: readonly string[]): void {
    const indom = parseIndom(indomText)!;
    const instances = lines.map((line) => {
      const [, id = '', name = ''] = /^(\d+) (.*)$/.exec(line)!;
      return { id: Number(id), name };
    });
    this.domains.set(indom, { indom, instances });
  }

  #instanceId(indom: number, name: string): number {
    const found = this.domains.get(indom)?.instances.find((instance) => instance.name.split(' ')[0] === name);
    if (!found) throw new Error(`no instance ${name} in ${formatIndom(indom)}`);
    return found.id;
  }
}

/** Metadata in the words of a script. */
export function describeMetadata({ type, semantics, indom, units }: NodeMetadata): string {
  const indomText = indom === INDOM_NULL ? '-' : formatIndom(indom);
  return `${formatMetricType(type)} ${formatSemantics(semantics)} ${indomText} "${formatUnits(units)}"`;
}

function readSample(rest: string, lines: readonly string[]): GivenSample {
  const values = lines.map((line): [string, string] => {
    const [, name = '', value = ''] = /^(\S+) +(.*)$/.exec(line)!;
    return [name, value];
  });
  return { seconds: Number(rest), values: new Map(values) };
}

function splitPair(text: string): [string, string] {
  const equals = text.indexOf('=');
  if (equals < 0) throw new Error(`no instance=value: ${text}`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}
