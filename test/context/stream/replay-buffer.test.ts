import fc from '../../support/properties.js';
import { ReplayBuffer, ReplayMemory } from '../../../src/context/stream/replay-buffer.js';
import { HandTime } from '../../support/stream-fixture.js';
import { STREAM_LIMITS } from '../../support/patience.js';

const time = new HandTime();
const memoryOf = (limits: { historyBytes?: number; lingerMs?: number } = {}): ReplayMemory =>
  new ReplayMemory(time, () => ({ ...STREAM_LIMITS, ...limits }));
const sample = (sec: number, isFull = true): Parameters<ReplayBuffer['append']>[0] => ({
  id: { sec, nsec: 0 },
  bytes: Buffer.alloc(100, sec),
  isFull,
});
const failure = { id: undefined, bytes: Buffer.from('failure'), isFull: true };

describe('ReplayBuffer', () => {
  it('says where to read on after a sample', () => {
    const log = new ReplayBuffer(memoryOf());
    expect(log.numberAfter({ sec: 1, nsec: 0 }, false)).toBeUndefined();
    for (const event of [sample(10), failure, sample(20), sample(30)]) log.append(event);
    const after = (sec: number, nsec = 0): unknown => log.numberAfter({ sec, nsec }, false);
    expect([after(10), after(20), after(30), after(15), after(99)]).toEqual([1, 3, 4, 1, 4]);
    expect([after(9), after(9, 999_999_999)]).toEqual([undefined, undefined]);
    expect(log.numberAfter({ sec: 15, nsec: 0 }, true)).toBeUndefined();
    expect(log.numberAfter({ sec: 20, nsec: 0 }, true)).toBe(3);
    expect(log.latestId).toEqual({ sec: 30, nsec: 0 });
    expect(log.firstSample()).toEqual({ number: 0, id: { sec: 10, nsec: 0 }, isFull: true });
  });

  it('remembers the last event, whatever is forgotten', () => {
    const log = new ReplayBuffer(memoryOf({ historyBytes: 0 }));
    log.append(sample(10));
    expect(log.at(0)).toBeDefined();
    log.append(sample(20));
    expect([log.at(0), log.latest?.id]).toEqual([undefined, { sec: 20, nsec: 0 }]);
    expect(log.numberAfter({ sec: 10, nsec: 0 }, true)).toBe(1);
  });
});

describe('ReplayMemory', () => {
  it('forgets the oldest events of whatever log when there are too many', () => {
    const memory = memoryOf({ historyBytes: 1000 });
    const [a, b] = [new ReplayBuffer(memory), new ReplayBuffer(memory)];
    for (let sec = 0; sec < 4; sec++) for (const log of [a, b]) log.append(sample(sec));
    memory.sweep();
    expect(memory.bytes).toBeLessThanOrEqual(1000);
    expect([a.firstSample()?.number, b.firstSample()?.number]).toEqual([3, 2]);
  });

  it('forgets what is too old, behind logs that were cleared, too', async () => {
    const memory = memoryOf({ lingerMs: 1000 });
    const [a, b] = [new ReplayBuffer(memory), new ReplayBuffer(memory)];
    a.append(sample(1));
    b.append(sample(1));
    a.clear();
    await time.pass(600);
    b.append(sample(2));
    await time.pass(600);
    memory.sweep();
    expect(b.firstSample()?.number).toBe(1);
    b.clear();
    expect(memory.bytes).toBe(0);
  });

  it('never counts wrong', () => {
    const step = fc.oneof(
      fc.record({ log: fc.nat(2), append: fc.nat(300) }),
      fc.record({ log: fc.nat(2), clear: fc.constant(true) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const memory = memoryOf({ historyBytes: 2000 });
        const logs = [0, 1, 2].map(() => new ReplayBuffer(memory));
        for (const [sec, { log, ...what }] of steps.entries()) {
          if ('append' in what) {
            logs[log]!.append({ id: { sec, nsec: 0 }, bytes: Buffer.alloc(what.append), isFull: true });
          } else logs[log]!.clear();
        }
        memory.sweep();
        let held = 0;
        for (const log of logs) {
          for (let number = 0; number < log.end; number++) held += (log.at(number)?.bytes.length ?? -160) + 160;
        }
        expect(memory.bytes).toBe(held);
        expect(held).toBeLessThanOrEqual(2000);
      }),
    );
  });
});
