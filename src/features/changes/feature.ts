import type { Feature } from '../feature.js';
import { runChanges } from './operations.js';

/** What differs between two windows of time, or between hosts. */
export const changes: Feature = {
  name: 'changes',
  make: () => ({ routes: { findChanges: { run: runChanges, cost: 'costly' } } }),
};
