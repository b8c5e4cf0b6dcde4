import type { Metric } from '../../../../client/index.js';
import { quantityOf, unitName } from '../chart/axis-units.js';

const SEMANTICS: Readonly<Record<string, string>> = {
  counter: 'A counter: it only grows, until what counts starts over. Charts show its rate',
  instant: 'A measurement: each value stands for the moment it was taken',
  discrete: 'A value that changes seldom: it holds until another one comes',
};

/** What a metric is, in plain words. */
export function explanationOf(
  { type, sem, units, indom }: Pick<Metric, 'type' | 'sem' | 'units' | 'indom'>,
  instances: number | undefined,
): string {
  const kind = SEMANTICS[sem] ?? sem;
  const text = type === 'string' ? `${kind}, as text` : `${kind}${unitOf(sem, units)}`;
  return `${text}. ${membersOf(indom, instances)}`;
}

function unitOf(sem: string, units: string): string {
  const unit = unitName(units);
  if (sem !== 'counter') return unit === '' ? '' : `, in ${unit}`;
  const isTime = quantityOf({ units }).kind === 'seconds';
  return isTime ? ', a share of the time that passes' : unit === '' ? ' per second' : `, in ${unit} per second`;
}

function membersOf(indom: string | undefined, instances: number | undefined): string {
  if (indom === undefined) return 'It has one value.';
  if (instances === undefined) return 'It has a value for each instance.';
  return instances === 1 ? 'It has one instance now.' : `It has a value for each of ${instances} instances.`;
}

/** Other metrics below the same node, nearest first. */
export function relatedNames(name: string, all: readonly string[]): readonly string[] {
  const parent = name.slice(0, name.lastIndexOf('.') + 1);
  return parent === '' ? [] : all.filter((each) => each !== name && each.startsWith(parent));
}

/** Whether an expression refers to a metric. */
export function mentions(expression: string, name: string): boolean {
  const at = expression.indexOf(name);
  if (at === -1) return false;
  const [before, after] = [expression[at - 1] ?? '', expression[at + name.length] ?? ''];
  if (!/[\w.]/.test(before) && !/[\w.]/.test(after)) return true;
  return mentions(expression.slice(at + name.length), name);
}
