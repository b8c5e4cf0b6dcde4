import { phaseOf, Ticker } from '../../../src/context/stream/ticker.js';
import { HandTime } from '../../support/stream-fixture.js';

const start = Date.UTC(2026, 0, 1);

function ticks(time: HandTime): { ticker: Ticker; seen: number[]; listen: (intervalMs: number) => () => void } {
  const ticker = new Ticker(time, time);
  const seen: number[] = [];
  const at = (): number => Math.round(time.now().sec * 1000 + time.now().nsec / 1e6 - start);
  return { ticker, seen, listen: (intervalMs) => ticker.every(intervalMs, () => seen.push(at())) };
}

describe('Ticker', () => {
  it('ticks at the multiples of the interval of wall-clock time', async () => {
    const time = new HandTime(1234);
    const { seen, listen } = ticks(time);
    listen(1000);
    await time.pass(3000, 10);
    expect(seen).toEqual([2000, 3000, 4000]);
  });

  it('does not tick sooner than half an interval after the start', async () => {
    const time = new HandTime(1700);
    const { seen, listen } = ticks(time);
    listen(1000);
    await time.pass(2000, 10);
    expect(seen).toEqual([3000]);
  });

  it('gives all of an interval, and multiples of it, their ticks in one go', async () => {
    const time = new HandTime(100);
    const { ticker } = ticks(time);
    const order: string[] = [];
    ticker.every(1000, () => order.push(`a${time.nowMs()}`));
    await time.pass(250, 10);
    ticker.every(1000, () => order.push(`b${time.nowMs()}`));
    ticker.every(500, () => order.push(`c${time.nowMs()}`));
    expect(time.pending).toBe(1);
    await time.pass(1650, 10);
    expect(order).toEqual(['a900', 'b900', 'c900', 'c1400', 'a1900', 'b1900', 'c1900']);
  });

  it('ticks by the phase later, the multiples of an interval still in one go', async () => {
    const time = new HandTime(0);
    const { ticker } = ticks(time);
    const order: string[] = [];
    const listen = (name: string, intervalMs: number, phaseMs: number): void =>
      void ticker.every(intervalMs, () => order.push(`${name}${time.nowMs()}`), phaseMs);
    listen('a', 500, 370);
    listen('b', 1000, 370);
    listen('c', 1000, 0);
    listen('d', 200, 370);
    await time.pass(1400, 10);
    const others = order.filter((tick) => !tick.startsWith('d'));
    expect(others).toEqual(['a370', 'a870', 'c1000', 'a1370', 'b1370']);
    // 370 is 170 later than a multiple of 200.
    expect(order.filter((tick) => tick.startsWith('d')).slice(0, 2)).toEqual(['d170', 'd370']);
  });

  it.each([3_600_000, -3_600_000, 400, -400, 600])(
    'keeps its pace when the wall clock is set by %p ms',
    async (stepMs) => {
      const time = new HandTime();
      const ticker = new Ticker(time, time);
      const at: number[] = [];
      ticker.every(1000, () => at.push(time.nowMs()));
      await time.pass(3000, 10);
      time.setWall(stepMs);
      await time.pass(5000, 10);
      const distances = at.slice(1).map((ms, i) => ms - at[i]!);
      for (const distance of distances) {
        expect(distance).toBeGreaterThanOrEqual(500);
        expect(distance).toBeLessThanOrEqual(1500);
      }
      expect(at.length).toBeGreaterThanOrEqual(7);
    },
  );

  it('stops when nobody listens', async () => {
    const time = new HandTime();
    const { seen, listen } = ticks(time);
    const stop = listen(1000);
    await time.pass(1000);
    stop();
    stop();
    expect(time.pending).toBe(0);
    await time.pass(3000);
    expect(seen).toEqual([1000]);
  });

  it('lets a listener stop itself and others during a tick', async () => {
    const time = new HandTime();
    const ticker = new Ticker(time, time);
    let count = 0;
    const stops: (() => void)[] = [];
    for (let i = 0; i < 3; i++) {
      stops.push(
        ticker.every(1000, () => {
          count++;
          for (const stop of stops) stop();
        }),
      );
    }
    await time.pass(3000);
    expect(count).toBe(3);
    expect(time.pending).toBe(0);
  });
});

describe('the phase of a source', () => {
  const host = (hostspec: string): number => phaseOf({ kind: 'host', spec: { kind: 'host', hostspec } });

  it('is the same for all that reach one host', () => {
    expect(host('web1?container=x')).toBe(host('web1'));
    expect(host('web1&container=x')).toBe(host('web1'));
  });

  it('is no part of this machine and of archives', () => {
    expect(phaseOf({ kind: 'local', spec: { kind: 'host', hostspec: 'embedded' } })).toBe(0);
    expect(phaseOf({ kind: 'archive', spec: { kind: 'archive', archive: 'a' } })).toBe(0);
  });

  it('is spread over a second: of 600 hosts no more than 3 % share one', () => {
    const counts = new Map<number, number>();
    for (let i = 0; i < 600; i++) {
      const phaseMs = host(`web${i}.example.com`);
      expect(phaseMs % 10).toBe(0);
      expect(phaseMs).toBeLessThan(1000);
      counts.set(phaseMs, (counts.get(phaseMs) ?? 0) + 1);
    }
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(18);
  });
});
