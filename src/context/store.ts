import { FetchResult, INDOM_NULL, INSTANCE_NULL, parseValue, PM_ERR, PmError } from '../pmapi/index.js';
import type { MetricDescriptor } from '../pmapi/index.js';
import type { MetricSource } from '../sources/index.js';

/** Sets a value, for instances or as a whole. Throws PM_ERR_TYPE, -ERANGE, PM_ERR_INST, _NOTHOST, _PERMISSION. @see pmStore(3) */
export async function storeText(
  source: MetricSource,
  descriptor: MetricDescriptor,
  text: string,
  instances: readonly number[] | undefined,
): Promise<void> {
  const { pmid, indom, type } = descriptor;
  if (source.archive) throw new PmError(PM_ERR.NOTHOST);
  if (!source.store) throw new PmError(PM_ERR.PERMISSION);
  const hasInstances = instances !== undefined && instances.length > 0;
  if (hasInstances !== (indom !== INDOM_NULL)) throw new PmError(PM_ERR.INST);
  const value = parseValue(text, type);
  const values = new FetchResult();
  values.resize(1);
  const set = values.sets[0]!;
  set.reset(pmid, type);
  for (const instance of hasInstances ? new Set(instances) : [INSTANCE_NULL]) set.add(instance, value);
  await source.store(pmid, values);
}
