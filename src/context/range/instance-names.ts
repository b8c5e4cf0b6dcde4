import { INDOM_NULL, onPmError } from '../../pmapi/index.js';
import type { Instance, InstanceDomain } from '../../pmapi/index.js';

type List = (indom: number) => Promise<InstanceDomain>;

/** The instances of a domain; none where the source does not know it. */
export async function instancesOf(indom: number, list: List): Promise<readonly Instance[]> {
  const domain = await list(indom).catch(onPmError(() => undefined));
  return domain?.instances ?? [];
}

/** The names of the instances of some domains. */
export async function instanceNames(
  indoms: Iterable<number>,
  list: List,
): Promise<(indom: number, instance: number) => string | undefined> {
  const names = new Map<number, ReadonlyMap<number, string>>();
  const learn = async (indom: number): Promise<void> => {
    names.set(indom, new Map((await instancesOf(indom, list)).map(({ id, name }) => [id, name])));
  };
  await Promise.all([...new Set(indoms)].filter((indom) => indom !== INDOM_NULL).map(learn));
  return (indom, instance) => names.get(indom)?.get(instance);
}
