import { formatUnits } from '../../../pmapi/index.js';
import type { OperandRule } from './rule.js';

/** rate() takes one power of time away: from nothing (then it is "per second") or from a time (a utilisation). */
export const rateTimeDimension: OperandRule = {
  name: 'rate-time-dimension',
  section: 'Incorrect time dimension for operand',
  check({ operator, operand }) {
    const { dimTime } = operand.meta.units;
    if (operator !== 'rate' || dimTime === 0 || dimTime === 1) return undefined;
    return {
      code: 'rate-time-dimension',
      reason: 'Incorrect time dimension for operand',
      explanation: `rate() needs an operand whose units have no time, or time to the power of 1; this one is in ${formatUnits(operand.meta.units)}.`,
    };
  },
};
