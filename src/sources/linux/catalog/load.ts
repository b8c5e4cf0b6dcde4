import { indom } from './indom.js';
import { metric } from './metric.js';
import type { CatalogMetric } from './metric.js';

/** Instance domain 60.2: the three load averages. */
export const LOAD_INDOM = indom(
  '60.2',
  'fixed',
  'Spans of time that the load is averaged over',
  [],
  '1, 5 and 15 minutes; the instance number is the span in minutes.',
);

/** /proc/loadavg. @see proc_loadavg(5) */
export const LOAD_METRICS: readonly CatalogMetric[] = [
  metric(
    'kernel.all.load',
    '60.2.0',
    'float',
    '60.2',
    'instant',
    'none',
    'Load average over 1, 5 and 15 minutes',
    'Exponentially damped mean of the tasks that run, are ready to run or sleep uninterruptibly, from /proc/loadavg. The kernel renews it every five seconds.',
  ),
  metric(
    'kernel.all.lastpid',
    '60.2.1',
    'u32',
    null,
    'instant',
    'none',
    'Process id that was given out last',
    'The last field of /proc/loadavg. Ids wrap around at kernel.all.pid_max.',
  ),
  metric(
    'kernel.all.runnable',
    '60.2.2',
    'u32',
    null,
    'instant',
    'none',
    'Scheduling entities running or ready to run',
    'The number before the slash in /proc/loadavg: threads, not processes.',
  ),
  metric(
    'kernel.all.nprocs',
    '60.2.3',
    'u32',
    null,
    'instant',
    'none',
    'Scheduling entities that exist',
    'The number after the slash in /proc/loadavg. Each thread counts, kernel threads as well; proc.nprocs counts processes.',
  ),
];
