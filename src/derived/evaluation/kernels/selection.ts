import { getOrMake } from '../../../kit/index.js';
import { INSTANCE_NULL, type InstanceDomain, type ValueSet } from '../../../pmapi/index.js';
import type { InstancePattern } from '../../semantics/bound-expression.js';
import type { History, MatchDecision, MatchDecisions } from '../history.js';
import type { Kernel } from './lane.js';

export function scalarKernel(out: ValueSet, operand: ValueSet): void {
  if (operand.status > 0) out.addFrom(operand, 0, INSTANCE_NULL);
}

/** `e[instance]`: the value of one instance. */
export function selectInstanceKernel(indom: number, instance: string, slot: number): Kernel {
  return (out, operand, _b, _c, sample, history) => {
    const id = resolve(history, slot, sample.instances(indom), instance);
    if (id === undefined) return;
    for (let i = 0; i < operand.status; i++) {
      if (operand.instances[i] !== id) continue;
      out.addFrom(operand, i);
      return;
    }
  };
}

/** The id of the instance, looked up once per listing. PCP keeps the first id forever; here, one that has another name is dropped. */
function resolve(history: History, slot: number, domain: InstanceDomain | undefined, name: string): number | undefined {
  const known = history.resolved[slot];
  if (!domain || known?.domain === domain) return known?.id;
  const before = known?.id;
  const isTaken = before !== undefined && instanceNames(domain).has(before);
  const id = findInstance(domain, name) ?? (isTaken ? undefined : before);
  history.resolved[slot] = { domain, id };
  return id;
}

/** matchinst(): the values of instances whose name up to its first blank matches (or not, when `negated`). */
export function matchInstancesKernel(indom: number, pattern: InstancePattern, negated: boolean, slot: number): Kernel {
  const decide = (name: string): boolean => pattern.test(shortInstanceName(name)) !== negated;
  return (out, operand, _b, _c, sample, history) => {
    const domain = sample.instances(indom);
    if (!domain) return;
    const { decisions } = decisionsFor(history, slot, domain, decide);
    for (let i = 0; i < operand.status; i++) {
      if (decisions.get(operand.instances[i]!)?.selected) out.addFrom(operand, i);
    }
  };
}

function decisionsFor(
  history: History,
  slot: number,
  domain: InstanceDomain,
  decide: (name: string) => boolean,
): MatchDecisions {
  const known = history.matches[slot];
  if (known?.domain === domain) return known;
  const decisions = new Map<number, MatchDecision>();
  for (const [id, name] of instanceNames(domain)) {
    const before = known?.decisions.get(id);
    decisions.set(id, before?.name === name ? before : { name, selected: decide(name) });
  }
  return (history.matches[slot] = { domain, decisions });
}

const names = new WeakMap<InstanceDomain, ReadonlyMap<number, string>>();

/** The instance names of a listing by instance id; made once per listing. */
export function instanceNames(domain: InstanceDomain): ReadonlyMap<number, string> {
  return getOrMake(names, domain, () => new Map(domain.instances.map(({ id, name }) => [id, name])));
}

export function shortInstanceName(name: string): string {
  const blank = name.indexOf(' ');
  return blank < 0 ? name : name.slice(0, blank);
}

/** The id of an instance by its whole name or, failing that, by its name up to the first blank. @see pmLookupInDom(3) */
export function findInstance(domain: InstanceDomain, name: string): number | undefined {
  let short: number | undefined;
  for (const instance of domain.instances) {
    if (instance.name === name) return instance.id;
    if (short === undefined && shortInstanceName(instance.name) === name) short = instance.id;
  }
  return short;
}
