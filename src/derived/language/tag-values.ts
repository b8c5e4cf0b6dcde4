import {
  INDOM_NULL,
  MetricType,
  Semantics,
  SourceTextError,
  formatMetricType,
  isArithmeticType,
  makeIndom,
  parseUnits,
} from '../../pmapi/index.js';
import type { Units } from '../../pmapi/index.js';
import type { ConstantMetadata, TagExpression } from './ast.js';

const TYPES: ReadonlyMap<string, MetricType> = new Map([
  ['32', MetricType.I32],
  ['u32', MetricType.U32],
  ['64', MetricType.I64],
  ['u64', MetricType.U64],
  ['float', MetricType.FLOAT],
  ['double', MetricType.DOUBLE],
]);
const SEMANTICS: ReadonlyMap<string, Semantics> = new Map([
  ['counter', Semantics.COUNTER],
  ['instant', Semantics.INSTANT],
  ['discrete', Semantics.DISCRETE],
]);
const INDOM_DOMAIN_MAX = 510;
const INDOM_SERIAL_MAX = 4_194_303;

/** A parsed units string, or why it is invalid. The multiplier of `10 sec` is ignored. */
export function readUnits(text: string): { units: Units } | { reason: string } {
  try {
    return { units: parseUnits(text).units };
  } catch (error) {
    if (!(error instanceof SourceTextError)) throw error;
    return { reason: `Illegal units: '${error.message}'` };
  }
}

function readIndom(text: string): number | undefined {
  if (text.toLowerCase() === 'null') return INDOM_NULL;
  const parts = /^(\d{1,9})\.(\d{1,9})$/.exec(text);
  if (!parts) return undefined;
  const [domain, serial] = [Number(parts[1]), Number(parts[2])];
  return domain <= INDOM_DOMAIN_MAX && serial <= INDOM_SERIAL_MAX ? makeIndom(domain, serial) : undefined;
}

/** One parsed `tag=value`, or PCP's reason why the value is invalid. */
export function readTag(tag: TagExpression['tag'], value: string): ConstantMetadata | { reason: string } {
  switch (tag) {
    case 'type': {
      const type = TYPES.get(value.toLowerCase());
      return type === undefined ? { reason: `Unrecognized value for type '${value}'` } : { type };
    }
    case 'semantics': {
      const semantics = SEMANTICS.get(value.toLowerCase());
      return semantics === undefined ? { reason: `Unrecognized value for semantics '${value}'` } : { semantics };
    }
    case 'units':
      return readUnits(value);
    case 'indom': {
      const indom = readIndom(value);
      return indom === undefined ? { reason: `Illegal indom: '${value}'` } : { indom };
    }
    case 'meta':
      return { like: value };
  }
}

/** All tags together: the last of repeated ones counts. Values must have passed {@link readTag}. */
export function mergeTags(tags: readonly TagExpression[]): ConstantMetadata {
  let merged: ConstantMetadata = {};
  for (const { tag, value } of tags) {
    const read = readTag(tag, value);
    if (!('reason' in read)) merged = { ...merged, ...read };
  }
  return merged;
}

/** Why a constant cannot have a type: a number with a decimal point has no integer type, and no number has a non-arithmetic type. */
export function constantTypeMismatch(kind: 'integer' | 'double', type: MetricType): string | undefined {
  const isReal = type === MetricType.FLOAT || type === MetricType.DOUBLE;
  if (isReal || (kind === 'integer' && isArithmeticType(type))) return undefined;
  const constant = kind === 'integer' ? 'integer' : 'floating point';
  return `Incompatible ${constant} constant and type '${formatMetricType(type)}'`;
}

/** The type of anon(); undefined if it is not arithmetic. */
export function anonymousType(name: string): MetricType | undefined {
  return TYPES.get(/^PM_TYPE_([0-9A-Z]+)$/.exec(name)?.[1]?.toLowerCase() ?? '');
}
