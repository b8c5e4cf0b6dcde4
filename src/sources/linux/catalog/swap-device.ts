import { makeLabel } from '../../../pmapi/index.js';
import { indom } from './indom.js';
import { metric } from './metric.js';
import type { CatalogMetric } from './metric.js';

/** Instance domain 60.6: active swap devices and files. */
export const SWAP_DEVICE_INDOM = indom(
  '60.6',
  'cached',
  'active swap devices and files',
  [makeLabel('device_type', ['block', 'memory']), makeLabel('indom_name', 'per swap device')],
  'The paths in the first column of /proc/swaps.',
);

/** /proc/swaps. @see proc_swaps(5) */
export const SWAP_DEVICE_METRICS: readonly CatalogMetric[] = [
  metric(
    'swapdev.free',
    '60.6.0',
    'u32',
    '60.6',
    'instant',
    'Kbyte',
    'Space not in use on each swap device',
    'Size less Used.',
  ),
  metric(
    'swapdev.length',
    '60.6.1',
    'u32',
    '60.6',
    'discrete',
    'Kbyte',
    'Size of each swap device',
    'The Size column.',
  ),
  metric(
    'swapdev.maxswap',
    '60.6.2',
    'u32',
    '60.6',
    'discrete',
    'Kbyte',
    'Most that each swap device can hold',
    'The Size column: on Linux the same as swapdev.length.',
  ),
  metric(
    'swapdev.priority',
    '60.6.4',
    'i32',
    '60.6',
    'instant',
    'none',
    'Priority of each swap device',
    'The Priority column: devices of higher priority are filled first. Negative ones were given out by the kernel.',
  ),
];
