/**
 * Loaded into the gateway before it starts (`node --import`): tells the process that started it, when asked over IPC, what only the
 * inside knows. With `collect` garbage is collected before, so that the heap is what is in use.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
const NS_PER_MS = 1e6;

process.on('message', ({ collect }) => {
  const loopP99Ms = delay.percentile(99) / NS_PER_MS;
  const loopMaxMs = delay.max / NS_PER_MS;
  if (collect) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ heapUsed, external, loopP99Ms, loopMaxMs });
  // After the answer: what the collection itself took is no delay of the gateway's.
  setImmediate(() => delay.reset());
});
process.on('disconnect', () => process.exit(1));
// The gateway ends when it has nothing to do, whoever listens.
process.channel?.unref();
