/**
 * What contexts cost: memory for 10,000 idle ones on the embedded collector, the longest stall while they expire, and memory for those in use.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ContextManager, parseSelection } from '../../src/context/index.js';
import { systemClock } from '../../src/pmapi/index.js';
import { LinuxCollector } from '../../src/sources/linux/index.js';
import { BUDGETS } from './budgets.js';
import { heading, report } from './support/report.js';

const COUNT = 10_000;
const NAMES = ['kernel.all.load', 'mem.util.free', 'disk.dev.read'];

const collector = new LinuxCollector({ clock: systemClock });
let nowMs = 0;
const contexts = new ContextManager({
  sources: { open: () => Promise.resolve(collector.open()) },
  clock: { now: () => systemClock.now(), monotonicMs: () => nowMs },
  limits: { contexts: COUNT, pollTimeoutMs: 5000, maxPollTimeoutMs: 60_000 },
});

const heapBytes = (): number => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

heading(`${COUNT} idle contexts, each used once`);
const before = heapBytes();
const startMs = performance.now();
for (let i = 0; i < COUNT; i++) {
  const context = await contexts.create({ kind: 'host', hostspec: 'localhost' });
  await context.fetching.fetch(await context.plans.get({ names: NAMES }), () => undefined);
}
report('make, plan and fetch once, each', ((performance.now() - startMs) / COUNT) * 1000, 'microsec');
report('memory of all', (heapBytes() - before) / 1024 / 1024, 'Mbyte', BUDGETS.contextsMemory.limit);

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
nowMs = 10_000;
const sweepMs = performance.now();
contexts.sweep();
report('the sweep that expires all', performance.now() - sweepMs, 'millisec', BUDGETS.contextsStall.limit);
for (let i = 0; i < COUNT / 100; i++) await new Promise((resolve) => setImmediate(resolve));
await new Promise((resolve) => setTimeout(resolve, 50));
delay.disable();
report('longest turn of the event loop meanwhile', delay.max / 1e6, 'millisec', BUDGETS.contextsStall.limit);

const IN_USE = 2_000;
heading(
  `${IN_USE} contexts in use, each with an instance profile, a derived metric, a plan of ${NAMES.length + 1} metrics and a view of rates`,
);
const emptyBytes = heapBytes();
for (let i = 0; i < IN_USE; i++) {
  const context = await contexts.create({ kind: 'host', hostspec: 'localhost' });
  await context.addDerived('my.own', `rate(kernel.all.pswitch) * ${i}`);
  const plan = await context.plans.get({ names: [...NAMES, 'my.own'] });
  const { indom } = plan.entries[0]!.descriptor;
  context.addProfile(indom, [1, 5]);
  const view = context.fetching.keptView(plan, parseSelection({ rate: true })!);
  for (let fetch = 0; fetch < 2; fetch++) await context.fetching.fetch(plan, () => undefined, view);
}
const inUseBytes = heapBytes() - emptyBytes;
const counted = Object.values(contexts.keptBytes).reduce((sum, bytes) => sum + bytes, 0);
report('memory of each', inUseBytes / IN_USE / 1024, 'Kbyte');
report('counted in limits.memoryBytes, of each', counted / IN_USE / 1024, 'Kbyte');
await collector.close();
