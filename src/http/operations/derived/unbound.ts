import type { Context } from '../../../context/index.js';

/** Why a derived metric does not bind in a context, in PCP's words; undefined for any other name. */
export async function reasonUnbound(context: Context, name: string): Promise<string | undefined> {
  if (!context.derived.get(name)) return undefined;
  return (await context.names.explainMissing([name])).get(name);
}
