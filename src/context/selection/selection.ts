import { PATTERN_SIZE_BYTES } from '../../derived/index.js';
import { badParameter, type ParsedUnits } from '../../pmapi/index.js';
import { parseRangeUnits, type RateOptions } from '../range/index.js';
import { parseLabelSelector, type LabelSelector } from './label-selector.js';
import { compilePatterns, type MatchKind, type SizedMatcher } from './pattern.js';

/** Parameters that select and convert values of fetches, ranges and streams. */
export interface SelectionParameters {
  readonly instance?: readonly number[] | undefined;
  /** Instances by name, according to `match`. */
  readonly iname?: readonly string[] | undefined;
  /** How `iname` is compared; exact by default. */
  readonly match?: MatchKind | undefined;
  /** Conditions on labels, see {@link parseLabelSelector}. */
  readonly labels?: string | undefined;
  readonly top?: number | undefined;
  /** How values below the greatest are combined. */
  readonly rest?: RestKind | undefined;
  /** Values are returned with instance names. */
  readonly inames?: boolean | undefined;
  readonly rate?: boolean | undefined;
  /** Decreasing counters have wrapped. */
  readonly wrap?: boolean | undefined;
  readonly units?: string | undefined;
}

/** How values that are not among the greatest are combined. */
export type RestKind = 'sum' | 'mean';

/** Whether an instance is selected; its name is undefined if unknown. */
export type InstanceMatcher = (id: number, name: string | undefined) => boolean;

/** A parsed selection. Instances must satisfy every filter. */
export interface Selection {
  /** Equal for selections that mean the same. */
  readonly key: string;
  /** Selects an instance by number and name; undefined: all. Not called for singular metrics. */
  readonly instances: InstanceMatcher | undefined;
  readonly byName: boolean;
  readonly inames: boolean;
  /** Exact instance names; a warning lists those without an instance. */
  readonly exactNames: readonly string[];
  readonly labels: LabelSelector | undefined;
  readonly top: number | undefined;
  readonly rest: RestKind | undefined;
  readonly rate: RateOptions | undefined;
  readonly units: ParsedUnits | undefined;
  readonly bytes: number;
}

/** The size of a selection, of each named instance, and of each character of its key, which occurs once more in sets and texts. */
const SELECTION_BYTES = 1_000;
const INSTANCE_BYTES = 100;
const CHARACTER_BYTES = 4;

/** Parses a selection; undefined if empty. Throws BAD_PARAMETER, BAD_PATTERN, CONVERSION and LIMIT_EXCEEDED, with the parameter. */
export function parseSelection(parameters: SelectionParameters): Selection | undefined {
  const { instance, iname, match, labels, top, rest, inames = false, rate = false, wrap = false, units } = parameters;
  refuseIdle('match', match !== undefined && iname === undefined, 'how to match iname', 'iname');
  refuseIdle('wrap', wrap && !rate, 'how to compute rates', 'rate=true');
  refuseIdle('rest', rest !== undefined && top === undefined, 'what to make of the other values', 'top');
  if (top !== undefined && (!Number.isSafeInteger(top) || top < 1)) {
    const expected = 'a whole number, 1 or more';
    throw badParameter('top', `top is ${top}: expected ${expected}`, expected);
  }
  if ([instance, iname, labels, top, units].every((parameter) => parameter === undefined) && !rate && !inames) {
    return undefined;
  }
  const names = iname && compilePatterns(iname, match ?? 'exact', 'iname');
  const selector = labels === undefined ? undefined : parseLabelSelector(labels);
  const key = JSON.stringify([instance, iname, match ?? 'exact', labels, top, rest, inames, rate, wrap, units]);
  const listed = (instance?.length ?? 0) + (iname?.length ?? 0);
  const patternsSize = (names?.size ?? 0) + (selector?.size ?? 0);
  return {
    key,
    instances: instanceMatcher(instance, names),
    byName: iname !== undefined,
    inames,
    exactNames: match === undefined || match === 'exact' ? (iname ?? []) : [],
    labels: selector,
    top,
    rest,
    rate: rate ? { wrap } : undefined,
    units: units === undefined ? undefined : parseRangeUnits(units),
    bytes: SELECTION_BYTES + INSTANCE_BYTES * listed + CHARACTER_BYTES * key.length + PATTERN_SIZE_BYTES * patternsSize,
  };
}

/** Whether values are left out by the names or labels of instances. */
export function hasFilter({ instances, labels }: Selection): boolean {
  return instances !== undefined || labels !== undefined;
}

function instanceMatcher(
  instance: readonly number[] | undefined,
  names: SizedMatcher | undefined,
): InstanceMatcher | undefined {
  const ids = instance && new Set(instance);
  if (!names) return ids && ((id) => ids.has(id));
  return (id, name) => (!ids || ids.has(id)) && name !== undefined && names.matches(name);
}

/** Rejects a parameter that modifies another one if that is absent. Throws BAD_PARAMETER. */
export function refuseIdle(parameter: string, isIdle: boolean, meaning: string, other: string): void {
  if (!isIdle) return;
  throw badParameter(parameter, `'${parameter}' says ${meaning}, but ${other} is missing`, `${other} as well`);
}
