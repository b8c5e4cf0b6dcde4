import { FetchResult, INDOM_NULL, INSTANCE_NULL, parseValue, PM_ERR, PmError } from '../pmapi/index.js';
import type { MetricDescriptor, ValueSet } from '../pmapi/index.js';
import type { MetricSource } from '../sources/index.js';

/**
 * Changes the value of a metric, for some of its instances or (of a metric without instances) as a whole. The text is parsed
 * according to the metric's type.
 * @throws PmError PM_ERR_TYPE and -ERANGE for an invalid text, PM_ERR_INST if instances are missing or not allowed,
 * PM_ERR_NOTHOST for an archive, PM_ERR_PERMISSION if nothing can be stored, and the errors of the source
 * @see pmStore(3)
 */
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
  for (const instance of hasInstances ? new Set(instances) : [INSTANCE_NULL]) addValue(set, instance, value);
  await source.store(pmid, values);
}

function addValue(set: ValueSet, instance: number, value: ReturnType<typeof parseValue>): void {
  if (typeof value === 'bigint') set.addInteger(instance, value);
  else if (typeof value === 'number') set.addNumber(instance, value);
  else set.addText(instance, value);
}
