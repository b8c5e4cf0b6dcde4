import { getOrMake } from '../../kit/index.js';
import {
  DERIVED_DOMAIN,
  formatMetricType,
  formatUnits,
  INDOM_NULL,
  isArithmeticType,
  isWideType,
  linearScale,
  makePmid,
  MetricType,
  onPmError,
  PM_ERR,
  PmError,
  pmidDomain,
  sameUnits,
  scaleRatio,
  Semantics,
} from '../../pmapi/index.js';
import type { InstanceDomain, MetricDescriptor, ValueSet } from '../../pmapi/index.js';
import { InstanceProfile } from '../profile.js';
import type { TimelinePart } from './timeline-part.js';

export interface PartMetric {
  readonly pmid: number;
  readonly descriptor: MetricDescriptor;
  /** Undefined where values need no conversion. */
  readonly conversion: ValueConversion | undefined;
  /** Maps the part's instance numbers to the timeline's; undefined where they are equal. */
  readonly instances: ReadonlyMap<number, number> | undefined;
}

export interface JoinedMetric {
  readonly pmid: number;
  readonly descriptor: MetricDescriptor;
  readonly parts: readonly (PartMetric | undefined)[];
  readonly changes: readonly { readonly part: TimelinePart; readonly change: DescriptorChange }[];
}

export interface PartIndom {
  readonly indom: number;
  readonly instances: PartMetric['instances'];
  /** What the instances were mapped of, and how often numbers had changed by then. */
  readonly domain: InstanceDomain | undefined;
  readonly changes: number;
}

type KnownMetric = Omit<JoinedMetric, 'parts'> & {
  readonly parts: readonly (Omit<PartMetric, 'instances'> | undefined)[];
};

/** Instances whose number is already taken get a number from here upwards. */
const FIRST_SPARE_INSTANCE = 0x4000_0000;
/** Metrics whose PMID is already taken get one of this domain, which no agent uses. */
const SPARE_DOMAIN = 510;
const SPARE_CLUSTER = 4095;

/** The metrics and instances of all parts, by name, numbered as in the live source, else the latest archive. Others keep free numbers. */
export class JoinedMetrics {
  readonly #parts: readonly TimelinePart[];
  /** The indexes of the parts, the one that determines the numbering first. */
  readonly #preferred: readonly number[];
  readonly #names = new Map<string, number>();
  readonly #spares = new Map<number, string>();
  readonly #numberings = new Map<number, InstanceNumbering>();
  /** The domains of parts by the domain here that they belong to. */
  readonly #indoms = new Map<TimelinePart, Map<number, PartIndom>>();
  readonly #known = new Map<number, Promise<KnownMetric | undefined>>();
  #generation = -1;
  readonly #hasLive: boolean;
  readonly #operandsOf: (name: string) => readonly string[] | undefined;

  /** @param parts in order of time @param operandsOf of derived metrics that are defined now */
  constructor(
    parts: readonly TimelinePart[],
    operandsOf: (name: string) => readonly string[] | undefined = () => undefined,
  ) {
    this.#operandsOf = operandsOf;
    this.#parts = parts;
    this.#preferred = [...parts.keys()].reverse();
    this.#hasLive = parts.some(({ live }) => live);
  }

  get preferred(): readonly TimelinePart[] {
    return this.#preferred.map((place) => this.#parts[place]!);
  }

  /** The PMID of a name, or the error code of the lookup in the first part. */
  async lookup(name: string): Promise<number> {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    let worst: number = PM_ERR.NAME;
    for (const [i, part] of this.preferred.entries()) {
      const [found = PM_ERR.NAME] = await part.source.lookupNames([name]);
      if (found < 0) {
        if (found !== PM_ERR.NAME) worst = found;
        continue;
      }
      if (pmidDomain(found) === DERIVED_DOMAIN && (await this.#isComputed(name))) return PM_ERR.NAME;
      const pmid = (await this.#isTaken(found, name, i)) ? this.#spare(name) : found;
      this.#names.set(name, pmid);
      return pmid;
    }
    return worst;
  }

  async namesOf(pmid: number): Promise<readonly string[]> {
    const spare = this.#spares.get(pmid);
    if (spare !== undefined) return [spare];
    for (const { source } of this.preferred) {
      const names = await source.namesOf(pmid).catch(onPmError((): readonly string[] => []));
      if (names.length > 0) return names;
    }
    return [];
  }

  async join(pmid: number): Promise<JoinedMetric | undefined> {
    const generation = this.#parts.reduce((sum, { source }) => sum + source.generation, 0);
    if (generation !== this.#generation) this.#known.clear();
    this.#generation = generation;
    const known = await getOrMake(this.#known, pmid, () => {
      const knowing = this.#learn(pmid);
      knowing.catch(() => this.#known.delete(pmid));
      return knowing;
    });
    if (!known) return undefined;
    const parts: (PartMetric | undefined)[] = this.#parts.map(() => undefined);
    for (const place of this.#preferred) {
      const own = known.parts[place];
      if (!own) continue;
      const instances = await this.#mapInstances(this.#parts[place]!, own.descriptor.indom, known.descriptor.indom);
      parts[place] = { ...own, instances };
    }
    return { ...known, parts };
  }

  /** All instances ever, by their numbers here, of a joined metric's domain; undefined for other domains. */
  instancesOf(indom: number): InstanceDomain | undefined {
    const numbering = this.#numberings.get(indom);
    return numbering && { indom, instances: numbering.instances };
  }

  indomIn(part: TimelinePart, indom: number): PartIndom | undefined {
    return this.#indoms.get(part)?.get(indom);
  }

  async #learn(pmid: number): Promise<KnownMetric | undefined> {
    const names = await this.namesOf(pmid);
    let descriptor: MetricDescriptor | undefined;
    const parts: KnownMetric['parts'][number][] = this.#parts.map(() => undefined);
    const changes: { part: TimelinePart; change: DescriptorChange }[] = [];
    for (const place of this.#preferred) {
      const part = this.#parts[place]!;
      const own = await this.#describe(part, names);
      if (!own) continue;
      descriptor ??= { ...own, pmid };
      const change = descriptorChange(own, descriptor);
      if (change) changes.push({ part, change });
      if (!change || change.conversion)
        parts[place] = { pmid: own.pmid, descriptor: own, conversion: change?.conversion };
    }
    return descriptor && { pmid, descriptor, parts, changes };
  }

  async #describe({ source }: TimelinePart, names: readonly string[]): Promise<MetricDescriptor | undefined> {
    for (const found of await source.lookupNames(names)) {
      if (found < 0) continue;
      const [descriptor] = await source.describe([found]);
      if (typeof descriptor === 'object') return descriptor;
    }
    return undefined;
  }

  /** Whether a recorded derived metric can be computed for all times: its operands were recorded, too. */
  async #isComputed(name: string): Promise<boolean> {
    const operands = this.#operandsOf(name);
    if (!operands) return false;
    for (const operand of operands) {
      if ((await this.lookup(operand)) < 0 && !(await this.#isComputed(operand))) return false;
    }
    return true;
  }

  /** Whether one of the first parts has another metric with this PMID. */
  async #isTaken(pmid: number, name: string, before: number): Promise<boolean> {
    for (const { source } of this.preferred.slice(0, before)) {
      const names = await source.namesOf(pmid).catch(onPmError((): readonly string[] => []));
      if (names.length > 0 && !names.includes(name)) return true;
    }
    return false;
  }

  #spare(name: string): number {
    const pmid = makePmid(SPARE_DOMAIN, SPARE_CLUSTER - (this.#spares.size >> 10), this.#spares.size & 0x3ff);
    this.#spares.set(pmid, name);
    return pmid;
  }

  async #mapInstances(
    part: TimelinePart,
    own: number,
    joined: number,
  ): Promise<ReadonlyMap<number, number> | undefined> {
    if (own === INDOM_NULL) return undefined;
    const numbering = getOrMake(this.#numberings, joined, () => new InstanceNumbering(this.#hasLive));
    const domain = await (part.archive ? part.archive.source.instancesEver(own) : part.live!.instances(own)).catch(
      onPmError(() => undefined),
    );
    if (part.live) {
      numbering.adopt(domain?.instances ?? []);
      return undefined;
    }
    const indoms = getOrMake(this.#indoms, part, () => new Map<number, PartIndom>());
    const known = indoms.get(joined);
    if (known && known.domain === domain && known.changes === numbering.changes) return known.instances;
    const instances = numbering.map(domain?.instances ?? []);
    indoms.set(joined, { indom: own, instances, domain, changes: numbering.changes });
    return instances;
  }
}

class InstanceNumbering {
  readonly #ids = new Map<string, number>();
  readonly #names = new Map<number, string>();
  /** A live source may use any number later. */
  readonly #isLive: boolean;
  #spare = FIRST_SPARE_INSTANCE;
  /** How often an instance got another number. */
  changes = 0;

  constructor(isLive: boolean) {
    this.#isLive = isLive;
  }

  get instances(): InstanceDomain['instances'] {
    return [...this.#names].map(([id, name]) => ({ id, name }));
  }

  adopt(instances: InstanceDomain['instances']): void {
    for (const { id, name } of instances) {
      const before = this.#ids.get(name);
      if (before !== undefined && before !== id) this.changes++;
      this.#set(id, name);
    }
  }

  map(instances: InstanceDomain['instances']): ReadonlyMap<number, number> | undefined {
    const numbers = new Map<number, number>();
    let isSame = true;
    for (const { id, name } of instances) {
      const number = this.#ids.get(name) ?? this.#number(id, name);
      numbers.set(id, number);
      if (number !== id) isSame = false;
    }
    return isSame ? undefined : numbers;
  }

  #number(id: number, name: string): number {
    const number = this.#isLive || this.#names.has(id) ? this.#spare++ : id;
    this.#set(number, name);
    return number;
  }

  #set(id: number, name: string): void {
    this.#ids.set(name, id);
    this.#names.set(id, name);
  }
}

/** The profile with which a part is read, for a profile of the timeline. */
export async function profileOfPart(
  metrics: readonly (readonly [joined: MetricDescriptor, own: PartMetric])[],
  profile: InstanceProfile,
  instancesEver: (indom: number) => Promise<InstanceDomain>,
): Promise<InstanceProfile> {
  const translated = new InstanceProfile();
  const begun = new Set<number>();
  for (const [{ indom }, { descriptor, instances }] of metrics) {
    if (indom === INDOM_NULL || profile.includesAll(indom)) continue;
    const own = descriptor.indom;
    if (!begun.has(own)) translated.delete(own);
    begun.add(own);
    const rule = profile.indoms.find((each) => each.indom === indom);
    if (!instances && rule?.state === 'exclude') {
      if (rule.listed.size > 0) translated.add(own, [...rule.listed]);
      continue;
    }
    const domain = await instancesEver(own).catch(onPmError(() => undefined));
    const ids = (domain?.instances ?? []).map(({ id }) => id);
    const wanted = ids.filter((id) => profile.includes(indom, instances?.get(id) ?? id));
    if (wanted.length > 0) translated.add(own, wanted);
  }
  return translated;
}

export interface ValueConversion {
  /** Appends value `i` of a part's set to one of the timeline; omits a value that does not fit. */
  readonly add: (from: ValueSet, i: number, instance: number, into: ValueSet) => void;
}

/** A part describes a metric differently from the timeline. */
export interface DescriptorChange {
  /** What differs, and what happens to the values, as a sentence without a subject. */
  readonly message: string;
  readonly pmErr: number;
  /** Undefined: the values cannot be converted exactly, and are left out. */
  readonly conversion: ValueConversion | undefined;
}

/** The types whose values all fit the type that they are listed under. */
const NARROWER: Partial<Record<MetricType, readonly MetricType[]>> = {
  [MetricType.I64]: [MetricType.I32, MetricType.U32],
  [MetricType.U64]: [MetricType.U32],
  [MetricType.DOUBLE]: [MetricType.I32, MetricType.U32, MetricType.FLOAT],
};

/** The differences between the descriptor of a part and that of the timeline; undefined if the values are compatible. */
function descriptorChange(from: MetricDescriptor, to: MetricDescriptor): DescriptorChange | undefined {
  if ((from.indom === INDOM_NULL) !== (to.indom === INDOM_NULL)) {
    const is = from.indom === INDOM_NULL ? 'has no instances' : 'has instances';
    return { message: `${is} there; left out`, pmErr: PM_ERR.LOGCHANGEINDOM, conversion: undefined };
  }
  if ((from.semantics === Semantics.COUNTER) !== (to.semantics === Semantics.COUNTER)) {
    const is = from.semantics === Semantics.COUNTER ? 'a counter' : 'no counter';
    return { message: `is ${is} there; left out`, pmErr: PM_ERR.LOGCHANGESEM, conversion: undefined };
  }
  const isSameType = from.type === to.type;
  if (!isSameType && NARROWER[to.type]?.includes(from.type) !== true) {
    const types = `${formatMetricType(from.type)} there, ${formatMetricType(to.type)} later`;
    return { message: `is ${types}; left out`, pmErr: PM_ERR.LOGCHANGETYPE, conversion: undefined };
  }
  if (!sameUnits(from.units, to.units)) return unitsChange(from, to);
  if (isSameType) return undefined;
  const message = `is ${formatMetricType(from.type)} there; converted to ${formatMetricType(to.type)}`;
  return {
    message,
    pmErr: PM_ERR.LOGCHANGETYPE,
    conversion: { add: (set, i, instance, into) => into.addFrom(set, i, instance) },
  };
}

function unitsChange(from: MetricDescriptor, to: MetricDescriptor): DescriptorChange {
  const there = `is in ${formatUnits(from.units) || 'no units'} there`;
  const conversion = unitConversion(from, to);
  const fate = conversion ? `converted to ${formatUnits(to.units)}` : 'left out';
  return { message: `${there}; ${fate}`, pmErr: PM_ERR.LOGCHANGEUNITS, conversion };
}

function unitConversion(from: MetricDescriptor, to: MetricDescriptor): ValueConversion | undefined {
  if (!isArithmeticType(to.type)) return undefined;
  const { type } = to;
  try {
    if (type === MetricType.FLOAT || type === MetricType.DOUBLE) {
      const { factor, offset } = linearScale(from.units, to.units);
      const round = type === MetricType.FLOAT ? Math.fround : Number;
      return {
        add: ({ column }, i, instance, into) => into.addNumber(instance, round(column.numbers[i]! * factor + offset)),
      };
    }
    const ratio = scaleRatio(from.units, to.units);
    if (ratio?.divisor !== 1n) return undefined;
    return { add: (set, i, instance, into) => addMultiple(set, i, instance, ratio.multiplier, into) };
  } catch (error) {
    if (error instanceof PmError) return undefined;
    throw error;
  }
}

function addMultiple(set: ValueSet, i: number, instance: number, multiplier: bigint, into: ValueSet): void {
  const value = set.column.integerAt(i) * multiplier;
  const { type } = into;
  const isSigned = type === MetricType.I32 || type === MetricType.I64;
  const bits = isWideType(type) ? 64 : 32;
  const wrapped = isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
  if (wrapped !== value) return;
  if (bits === 64) into.addInteger(instance, value);
  else into.addNumber(instance, Number(value));
}
