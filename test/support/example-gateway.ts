import { ContextManager } from '../../src/context/index.js';
import { LiveMemory } from '../../src/context/range/index.js';
import { DefinitionStore } from '../../src/derived/index.js';
import { makeIndom, makeLabel, makePmid, makeUnits, MetricType, Semantics } from '../../src/pmapi/index.js';
import type { Timestamp } from '../../src/pmapi/index.js';
import { Api } from './api.js';
import type { OpenedArchives } from './archive-gateway.js';
import { FakeClock } from './fake-clock.js';
import { descriptor, TEST_CONTENT } from './memory-gateway.js';
import { type MemoryContent, MemorySource } from './memory-source.js';
import { rows } from './rows.js';

const DISKS = makeIndom(60, 1);
const BYTES = makeUnits({ dimSpace: 1 });
/** What a 32-bit counter holds at most, and one. */
const WRAP = 2 ** 32;

/** What disk.dev.read_bytes grows by in a second, by instance. */
const READ_BYTES_PER_SEC: ReadonlyMap<number, number> = new Map(rows([0, 2048], [1, 1024], [2, 4096]));

/** The metrics of the examples in openapi.yaml: those of the API tests, and some that move with the clock. */
function exampleContent(start: Timestamp): MemoryContent {
  const secondsAt = ({ sec }: Timestamp): number => sec - start.sec;
  return {
    ...TEST_CONTENT,
    metrics: [
      ...TEST_CONTENT.metrics,
      {
        name: 'disk.dev.read_bytes',
        descriptor: descriptor(makePmid(60, 0, 38), {
          type: MetricType.U64,
          semantics: Semantics.COUNTER,
          indom: DISKS,
          units: BYTES,
        }),
        values: (now) =>
          new Map([...READ_BYTES_PER_SEC].map(([id, perSec]) => [id, 1_000_000 * (3 - id) + perSec * secondsAt(now)])),
      },
      {
        // Wraps within its first second.
        name: 'network.packets',
        descriptor: descriptor(makePmid(60, 3, 1), { semantics: Semantics.COUNTER, units: makeUnits({ dimCount: 1 }) }),
        values: (now) => (WRAP - 5 + 10 * secondsAt(now)) % WRAP,
      },
    ],
    indoms: [
      ...(TEST_CONTENT.indoms ?? []),
      {
        indom: DISKS,
        instances: rows({ id: 0, name: 'sda' }, { id: 1, name: 'sdb' }, { id: 2, name: 'nvme0n1' }),
        instanceLabels: new Map([
          [0, [makeLabel('device_type', 'sd')]],
          [1, [makeLabel('device_type', 'sd')]],
          [2, [makeLabel('device_type', 'nvme')]],
        ]),
      },
    ],
  };
}

/** A gateway for the examples in openapi.yaml: always the same values, at a time of its own. */
export class ExampleGateway {
  readonly api: Api;
  readonly clock: FakeClock;

  private constructor(api: Api, clock: FakeClock) {
    this.api = api;
    this.clock = clock;
  }

  /** @param archives what archiveFactory() made; they may outlive the gateway */
  static async start(archives: OpenedArchives): Promise<ExampleGateway> {
    const clock = new FakeClock();
    const start = clock.now();
    const definitions = new DefinitionStore();
    definitions.register('disk.dev.read_blocks', 'disk.dev.read_bytes / 512');
    definitions.register('disk.all.read_bytes', 'sum(disk.dev.read_bytes)');
    const contexts = new ContextManager({
      sources: {
        open: async (spec) =>
          spec.kind === 'archive' ? archives.open(spec.archive) : new MemorySource(exampleContent(start), clock),
      },
      clock,
      limits: { contexts: 100, pollTimeoutMs: 60_000, maxPollTimeoutMs: 86_400_000 },
      memory: new LiveMemory(clock),
      definitions,
    });
    const api = await Api.start({ contexts, opened: [], sources: [] }, { archives: archives.archives });
    return new ExampleGateway(api, clock);
  }

  stop(): Promise<void> {
    return this.api.stop();
  }
}
