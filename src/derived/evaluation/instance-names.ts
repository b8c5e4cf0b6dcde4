import type { InstanceDomain } from '../../pmapi/index.js';

const names = new WeakMap<InstanceDomain, ReadonlyMap<number, string>>();

/** The instance names of a listing by instance id; made once per listing. */
export function instanceNames(domain: InstanceDomain): ReadonlyMap<number, string> {
  let byId = names.get(domain);
  if (!byId) {
    byId = new Map(domain.instances.map(({ id, name }) => [id, name]));
    names.set(domain, byId);
  }
  return byId;
}

/** An instance name up to its first blank, which is enough to identify it. @see pmLookupInDom(3) */
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
