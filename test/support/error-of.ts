import { GatewayError } from '../../src/pmapi/index.js';

/** The error that an action throws; other errors are thrown. */
export function errorOf(action: () => unknown): GatewayError {
  try {
    action();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
