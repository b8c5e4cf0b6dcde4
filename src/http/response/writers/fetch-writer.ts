import {
  formatColumnNumber,
  formatIsoTime,
  formatPmErr,
  formatPmid,
  formatTimestamp,
  INSTANCE_NULL,
  isArithmeticType,
  JSON_NON_FINITE,
  MetricType,
} from '../../../pmapi/index.js';
import type { Column, FetchResult, RestOfValues, Timestamp, TimeZone, ValueSet } from '../../../pmapi/index.js';
import type { FetchPlan } from '../../../context/index.js';
import { errorCodeOfPmErr, PIECE_LENGTH, warningsMember, type Warning } from '../answer.js';
import { textOfBytes, writeEventRecords, type ParameterName } from './event-writer.js';
import { describeValues } from './metadata-writer.js';

const VALUES_AT_ONCE = 64;

export interface PlanEntries extends Pick<FetchPlan, 'entries'> {
  /** The name of an instance by the metric's place, if names are requested. */
  readonly instanceName?: ((metric: number, instance: number) => string | undefined) | undefined;
}

export interface FetchForm {
  readonly pmid: (pmid: number) => string;
  readonly noInstance: string;
  readonly timestamp: (t: Timestamp) => string;
  /** Whether event values include their records. */
  readonly records: boolean;
  /** 64-bit integers that a double cannot hold are texts. */
  readonly isExact: boolean;
  /** Each metric has type, semantics and units, which after a conversion are nowhere else. */
  readonly describes: boolean;
  /** The parts of a response that do not change from fetch to fetch. */
  readonly fragments: WeakMap<PlanEntries, readonly string[]>;
}

export interface FormChoice {
  /** Timestamps in ISO 8601 in this zone; undefined: seconds since the epoch. */
  readonly isoZone?: TimeZone | undefined;
  readonly isExact?: boolean | undefined;
  readonly describes?: boolean | undefined;
}

const PLAIN_FRAGMENTS: FetchForm['fragments'] = new WeakMap();
const DESCRIBED_FRAGMENTS: FetchForm['fragments'] = new WeakMap();

/** PMWEBAPI's format: dotted PMIDs, `null` for no instance, seconds with nine digits. */
export const FETCH_FORM: FetchForm = {
  pmid: (pmid) => `"${formatPmid(pmid)}"`,
  noInstance: 'null',
  timestamp: formatTimestamp,
  records: true,
  isExact: false,
  describes: false,
  fragments: PLAIN_FRAGMENTS,
};

export function fetchForm({ isoZone, isExact = false, describes = false }: FormChoice): FetchForm {
  if (!isoZone && !isExact && !describes) return FETCH_FORM;
  return {
    ...FETCH_FORM,
    isExact,
    describes,
    fragments: describes ? DESCRIBED_FRAGMENTS : PLAIN_FRAGMENTS,
    ...(isoZone ? { timestamp: (t) => `"${formatIsoTime(t, isoZone, 9)}"` } : {}),
  };
}

/** The underscore form: plain numbers, seconds and microseconds separately. */
export const COMPAT_FETCH_FORM: FetchForm = {
  ...FETCH_FORM,
  pmid: String,
  noInstance: String(INSTANCE_NULL),
  timestamp: (t) => `{"s":${t.sec},"us":${Math.floor(t.nsec / 1000)}}`,
  records: false,
  fragments: new WeakMap(),
};

/**
 * A fetch response as JSON, without line end; `head` has the members before `timestamp`. By hand: JSON.stringify cannot write 64-bit
 * integers, and takes three times as long. @param nameOf names parameters of event records
 */
export function writeFetch(
  head: string,
  plan: PlanEntries,
  result: FetchResult,
  form: FetchForm,
  warnings: readonly Warning[],
  nameOf?: ParameterName,
): string {
  const fragments = fragmentsOf(plan, form);
  const { sets } = result;
  let text = beginning(head, result, form);
  let failures: Warning[] | undefined;
  for (let i = 0; i < fragments.length; i++) {
    const set = sets[i]!;
    text += fragments[i]!;
    if (set.status > 0) text += writeInstances(set, form, { nameOf, plan, place: i });
    else if (set.status < 0) (failures ??= [...warnings]).push(failureOf(plan.entries[i]!.name, set.status));
    text += set.rest ? `],${writeRest(set.rest)}}` : ']}';
  }
  return `${text}]${warningsMember(failures ?? warnings)}}`;
}

/** As {@link writeFetch}, in pieces. The result must not change until the last of them. */
export function* writeFetchInPieces(
  head: string,
  plan: PlanEntries,
  result: FetchResult,
  form: FetchForm,
  warnings: readonly Warning[],
  nameOf?: ParameterName,
): Generator<string, void> {
  const { entries } = plan;
  const known = form.fragments.get(plan);
  const made: string[] = [];
  const failures = [...warnings];
  let text = beginning(head, result, form);
  for (let i = 0; i < entries.length; i++) {
    const set = result.sets[i]!;
    const fragment = known?.[i] ?? fragmentOf(entries[i]!, i, form);
    if (!known) made.push(fragment);
    text += fragment;
    if (set.status < 0) failures.push(failureOf(entries[i]!.name, set.status));
    for (let from = 0; from < set.status; from += VALUES_AT_ONCE) {
      text += writeInstances(set, form, { nameOf, plan, place: i }, from, Math.min(from + VALUES_AT_ONCE, set.status));
      if (text.length < PIECE_LENGTH) continue;
      yield text;
      text = '';
    }
    text += set.rest ? `],${writeRest(set.rest)}}` : ']}';
    if (text.length < PIECE_LENGTH) continue;
    yield text;
    text = '';
  }
  if (!known) form.fragments.set(plan, made);
  yield `${text}]${warningsMember(failures)}}`;
}

function beginning(head: string, { timestamp }: FetchResult, form: FetchForm): string {
  return `${head === '{' ? head : `${head},`}"timestamp":${form.timestamp(timestamp)},"values":[`;
}

function fragmentsOf(plan: PlanEntries, form: FetchForm): readonly string[] {
  const known = form.fragments.get(plan);
  if (known) return known;
  const made = plan.entries.map((entry, i) => fragmentOf(entry, i, form));
  form.fragments.set(plan, made);
  return made;
}

/** The text before the values of a metric of the plan. */
function fragmentOf(entry: PlanEntries['entries'][number], place: number, form: FetchForm): string {
  const { pmid, name, descriptor } = entry;
  return (
    `${place === 0 ? '' : ','}{"pmid":${form.pmid(pmid)},"name":${JSON.stringify(name)},` +
    `${form.describes ? `${describeValues(descriptor)},` : ''}"instances":[`
  );
}

function failureOf(name: string, pmErr: number): Warning {
  return { name, message: formatPmErr(pmErr), code: errorCodeOfPmErr(pmErr), pmErr };
}

function writeRest({ count, value }: RestOfValues): string {
  return `"rest":{"count":${count},"value":${Number.isFinite(value) ? value : 'null'}}`;
}

interface SetNames {
  readonly nameOf: ParameterName | undefined;
  readonly plan: PlanEntries;
  readonly place: number;
}

/** A range of a set's values, separated by commas, with a comma before all except the first of the set. */
function writeInstances(
  set: ValueSet,
  { noInstance, records, isExact }: FetchForm,
  { nameOf, plan, place }: SetNames,
  from = 0,
  to = set.column.length,
): string {
  const { column, instances } = set;
  const hasRecords = records && (column.type === MetricType.EVENT || column.type === MetricType.HIGHRES_EVENT);
  const { instanceName } = plan;
  let text = '';
  for (let i = from; i < to; i++) {
    const instance = instances[i]!;
    const id = instance === INSTANCE_NULL ? noInstance : String(instance);
    const events = hasRecords
      ? `,"records":${writeEventRecords(column.bytes[i] ?? new Uint8Array(0), column.type, { isExact, nameOf })}`
      : '';
    const name = instanceName?.(place, instance);
    const named = name === undefined ? '' : `,"name":${JSON.stringify(name)}`;
    text += `${i === 0 ? '' : ','}{"instance":${id}${named},"value":${writeValue(column, i, isExact)}${events}}`;
  }
  return text;
}

/** A value as JSON: events and unsupported types are null, aggregates text, and (if exact) large 64-bit integers texts. */
export function writeValue(column: Column, i: number, isExact = false): string {
  if (!isArithmeticType(column.type)) {
    const text = textAt(column, i);
    return text === undefined ? 'null' : JSON.stringify(text);
  }
  const text = formatColumnNumber(column, i, JSON_NON_FINITE);
  return isExact && column.wide && !Number.isSafeInteger(column.numbers[i]) ? `"${text}"` : text;
}

/** A text or an aggregate as text; undefined for events and unsupported types. */
export function textAt({ type, texts, bytes }: Column, i: number): string | undefined {
  if (type === MetricType.STRING) return texts[i] ?? '';
  const isAggregate = type === MetricType.AGGREGATE || type === MetricType.AGGREGATE_STATIC;
  return isAggregate ? textOfBytes(bytes[i] ?? new Uint8Array(0)) : undefined;
}
