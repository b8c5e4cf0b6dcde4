import type { Context } from '../../../context/index.js';
import { GatewayError, isMetricName, PM_ERR } from '../../../pmapi/index.js';
import type { MetricDescriptor } from '../../../pmapi/index.js';
import { errorCodeOfPmErr } from '../../response/pm-error-code.js';

/** The descriptor of a metric by name, or its PM_ERR code. */
export async function describeNamed(context: Context, name: string): Promise<MetricDescriptor | number> {
  const [pmid = PM_ERR.NAME] = isMetricName(name) ? await context.names.lookupNames([name]) : [];
  return describeOne(context, pmid);
}

/** The descriptor of a metric, or the PM_ERR code in place of its PMID or descriptor. */
export async function describeOne(context: Context, pmid: number): Promise<MetricDescriptor | number> {
  if (pmid < 0) return pmid;
  const [descriptor = PM_ERR.PMID] = await context.names.describe([pmid]);
  return descriptor;
}

/** The error for a metric that cannot be looked up; `parameter` names it. */
export function lookupFailure(message: string, parameter: 'name' | 'pmid', pmErr: number): GatewayError {
  return new GatewayError(errorCodeOfPmErr(pmErr), message, { parameter, pmErr });
}
