import { indom } from './indom.js';
import { metric } from './metric.js';

/** Instance domain 60.2: the three load averages. */
export const LOAD_INDOM = indom('60.2', 'fixed', 'the load averages: over 1, 5 and 15 minutes');

/** /proc/loadavg. */
export const LOAD_METRICS = [
  metric(
    'kernel.all.load',
    '60.2.0',
    'float',
    '60.2',
    'instant',
    'none',
    'load average over 1, 5 and 15 minutes',
    'How many processes were running, ready to run or in uninterruptible sleep, as a moving average over 1, 5 and 15 minutes.',
  ),
  metric(
    'kernel.all.lastpid',
    '60.2.1',
    'u32',
    null,
    'instant',
    'none',
    'process identifier given out last',
    'The number that the most recently created process or thread got.',
  ),
  metric(
    'kernel.all.runnable',
    '60.2.2',
    'u32',
    null,
    'instant',
    'none',
    'threads running or ready to run',
    'Kernel scheduling entities (threads, not processes) that are running or wait for a CPU, from /proc/loadavg.',
  ),
  metric(
    'kernel.all.nprocs',
    '60.2.3',
    'u32',
    null,
    'instant',
    'none',
    'threads on the system',
    'All kernel scheduling entities: every thread counts. proc.nprocs counts processes.',
  ),
];
