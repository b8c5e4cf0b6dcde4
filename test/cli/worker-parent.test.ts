import { WorkerParent } from '../../src/cli/worker-parent.js';
import type { WorkerEvents } from '../../src/cli/worker-parent.js';
import { loadConfig } from '../../src/config/index.js';
import type { FromWorker, ToWorker } from '../../src/gateway/worker-channel.js';
import { ManualTimers } from '../support/manual-timers.js';

const CONFIG = loadConfig({ flags: { 'listen.workers': '3', 'limits.drainSec': '10' } });
const ADDRESS = { address: '127.0.0.1', port: 4711, family: 'IPv4' };

/** A process that does what the test says. */
class FakeProcess {
  readonly got: ToWorker[] = [];
  isKilled = false;
  readonly #events: WorkerEvents;

  constructor(events: WorkerEvents) {
    this.#events = events;
  }

  say(...messages: readonly FromWorker[]): void {
    for (const message of messages) this.#events.message(message);
  }

  exit(why: number | NodeJS.Signals = 0): void {
    this.#events.exit(why);
  }

  /** The kinds of what it got since this was asked last. */
  kinds(): readonly string[] {
    return this.got.splice(0).map(({ kind }) => kind);
  }
}

let timers: ManualTimers;
let started: FakeProcess[];
let parent: WorkerParent;
let logged: string[];
let listening: number;
let ended: number[];

beforeEach(() => {
  [timers, started, logged, listening, ended] = [new ManualTimers(), [], [], 0, []];
  const note = (message: string): void => void logged.push(message);
  parent = new WorkerParent({
    config: CONFIG,
    place: { count: 3, directory: '/d', secret: 's' },
    fork: (events) => {
      const made = new FakeProcess(events);
      started.push(made);
      return { send: (message) => made.got.push(message), kill: () => (made.isKilled = true) };
    },
    timers,
    log: { level: 'info', debug: note, info: note, warn: note, error: note, reply: note },
    onListening: () => listening++,
    onEnd: (code) => ended.push(code),
  });
});

/** Has all workers listen and know the definitions. */
function serve(): readonly [FakeProcess, FakeProcess, FakeProcess] {
  parent.start();
  started[0]!.say({ kind: 'hello' }, { kind: 'publish', number: 1, isWhole: true, text: 'all' });
  started[0]!.say({ kind: 'listening', address: ADDRESS });
  for (const other of started.slice(1)) {
    other.say({ kind: 'hello' }, { kind: 'join' });
    other.say({ kind: 'listening', address: ADDRESS });
  }
  for (const each of started) each.kinds();
  return started as unknown as [FakeProcess, FakeProcess, FakeProcess];
}

/** The number under which a worker got definitions. */
function numberOf(worker: FakeProcess): number {
  const message = worker.got.find(({ kind }) => kind === 'define') as ToWorker & { kind: 'define' };
  return message.number;
}

describe('WorkerParent', () => {
  it('starts the first worker alone, and says where it listens when all do', () => {
    parent.start();
    expect(started).toHaveLength(1);
    started[0]!.say({ kind: 'hello' });
    expect(started[0]!.got).toEqual([
      { kind: 'start', place: { index: 0, count: 3, directory: '/d', secret: 's' }, config: CONFIG },
    ]);
    started[0]!.say({ kind: 'listening', address: ADDRESS });
    expect([started.length, listening]).toEqual([3, 0]);
    started[1]!.say({ kind: 'listening', address: ADDRESS });
    expect(listening).toBe(0);
    started[2]!.say({ kind: 'listening', address: ADDRESS });
    expect(listening).toBe(1);
  });

  it('ends with the code of a first worker that cannot listen', () => {
    parent.start();
    started[0]!.exit(2);
    expect([ended, started.length]).toEqual([[2], 1]);
  });

  describe('global definitions', () => {
    it('are settled when all others have them', () => {
      const [first, second, third] = serve();
      first.say({ kind: 'publish', number: 7, isWhole: false, text: 'change' });
      expect(second.got).toEqual([
        { kind: 'define', number: expect.any(Number) as number, isWhole: false, text: 'change' },
      ]);
      second.say({ kind: 'defined', number: numberOf(second) });
      expect(first.kinds()).toEqual([]);
      third.say({ kind: 'defined', number: numberOf(third) });
      expect(first.got).toEqual([{ kind: 'settled', number: 7 }]);
    });

    it('are not waited for at a worker that has ended', () => {
      const [first, second, third] = serve();
      first.say({ kind: 'publish', number: 7, isWhole: false, text: 'change' });
      second.say({ kind: 'defined', number: numberOf(second) });
      third.exit('SIGKILL');
      expect(first.kinds()).toEqual(['settled']);
    });

    it('end a worker that does not take them over', () => {
      const [first, second, third] = serve();
      first.say({ kind: 'publish', number: 7, isWhole: false, text: 'change' });
      second.say({ kind: 'defined', number: numberOf(second) });
      timers.advance(30_000);
      expect(started.map(({ isKilled }) => isKilled)).toEqual([false, false, true]);
      third.exit('SIGKILL');
      expect(first.kinds()).toEqual(['settled']);
    });

    it('go to a worker that starts later, and to it alone', () => {
      const [first, second] = serve();
      started[2]!.exit('SIGKILL');
      timers.advance(1000);
      const again = started[3]!;
      again.say({ kind: 'hello' });
      first.say({ kind: 'publish', number: 8, isWhole: false, text: 'before' });
      expect([second.kinds(), again.kinds()]).toEqual([['define'], ['start']]);
      again.say({ kind: 'join' });
      expect(first.got).toEqual([{ kind: 'join', index: 2 }]);
      first.say({ kind: 'publish', number: 9, isWhole: true, text: 'all', to: 2 });
      expect([second.kinds(), again.kinds()]).toEqual([[], ['define']]);
    });

    it('go to all that wait for them when the first worker is there again', () => {
      const [first, second, third] = serve();
      first.exit('SIGKILL');
      timers.advance(1000);
      started[3]!.say({ kind: 'publish', number: 1, isWhole: true, text: 'all' });
      expect([second.kinds(), third.kinds()]).toEqual([['define'], ['define']]);
    });
  });

  describe('a worker that ends', () => {
    it('is started again, later each time, with the configuration in force', () => {
      const [, second] = serve();
      parent.reload(loadConfig({ flags: { 'listen.workers': '3', 'log.level': 'debug' } }));
      expect(second.kinds()).toEqual(['reload']);
      second.exit(1);
      timers.advance(99);
      expect(started).toHaveLength(3);
      timers.advance(1);
      started[3]!.say({ kind: 'hello' });
      expect(started[3]!.got).toMatchObject([{ place: { index: 1 }, reloaded: { log: { level: 'debug' } } }]);
      started[3]!.exit('SIGSEGV');
      timers.advance(199);
      expect(started).toHaveLength(4);
      timers.advance(1);
      expect(started).toHaveLength(5);
    });

    it('is given the contexts of the process before it, and how others ended', () => {
      const [first, second] = serve();
      const [open, other, changed] = ['open', 'other', 'changed'].map((text, id) => ({ id, text, ttlMs: 1000 }));
      for (const context of [open!, other!, changed!]) second.say({ kind: 'context', context });
      second.say({ kind: 'context', context: { ...changed!, text: 'changed again' } });
      second.say({ kind: 'context', context: { id: 1, ending: 'expired' } });
      first.say({ kind: 'context', context: { id: 9, text: 'of another worker', ttlMs: 1000 } });
      second.exit('SIGKILL');
      timers.advance(100);
      started[3]!.say({ kind: 'hello' });
      expect(started[3]!.got).toMatchObject([
        { place: { index: 1 }, contexts: [{ id: 1, ending: 'expired' }, open, { id: 2, text: 'changed again' }] },
      ]);
    });

    it('is remembered by the last contexts that ended', () => {
      const [, second] = serve();
      for (let id = 0; id < 5000; id++) second.say({ kind: 'context', context: { id, ending: 'expired' } });
      second.exit('SIGKILL');
      timers.advance(100);
      started[3]!.say({ kind: 'hello' });
      const [{ contexts }] = started[3]!.got as [ToWorker & { kind: 'start' }];
      expect([contexts!.length, contexts![0], contexts!.at(-1)]).toMatchObject([4096, { id: 904 }, { id: 4999 }]);
    });

    it('stops all of them at the fifth time within a minute', () => {
      const [first, , third] = serve();
      for (let i = 0; i < 4; i++) {
        started.at(-1)!.exit(1);
        timers.advance(1000);
      }
      started.at(-1)!.exit(1);
      expect(logged.at(-1)).toBe('5 workers have ended within a minute: stopping');
      expect(first.kinds()).toContain('stop');
      expect(third.got).toEqual([]);
      first.exit();
      started[1]!.exit();
      expect(ended).toEqual([1]);
      timers.advance(1_000_000);
      expect(started).toHaveLength(7);
    });

    it('does not stop them at longer intervals', () => {
      serve();
      for (let i = 0; i < 10; i++) {
        started.at(-1)!.exit(1);
        timers.advance(20_000);
      }
      expect([started.length, ended]).toEqual([13, []]);
    });
  });

  describe('at the end', () => {
    it('lets workers answer calls of the others until all have finished', () => {
      const [first, second, third] = serve();
      parent.stop();
      for (const each of started) expect(each.kinds()).toEqual(['stop']);
      first.say({ kind: 'drained' });
      second.say({ kind: 'drained' });
      expect(first.kinds()).toEqual([]);
      third.say({ kind: 'drained' });
      for (const each of started) expect(each.kinds()).toEqual(['finish']);
      for (const each of started) each.exit();
      expect([ended, started.length, timers.pending]).toEqual([[0], 3, 0]);
    });

    it('does not wait for a worker that has ended, and starts none', () => {
      const [first, second, third] = serve();
      second.exit(1);
      parent.stop();
      first.say({ kind: 'drained' });
      third.exit('SIGKILL');
      expect(first.kinds()).toContain('finish');
      first.exit();
      timers.advance(60_000);
      expect([ended, started.length]).toEqual([[0], 3]);
    });

    it('ends workers that do not end', () => {
      serve();
      parent.stop();
      timers.advance(19_999);
      expect(started.some(({ isKilled }) => isKilled)).toBe(false);
      timers.advance(1);
      for (const each of started) {
        expect(each.isKilled).toBe(true);
        each.exit('SIGKILL');
      }
      expect(ended).toEqual([1]);
    });

    it('reaches a worker that is only starting', () => {
      parent.start();
      parent.stop();
      started[0]!.say({ kind: 'hello' });
      expect(started[0]!.kinds()).toEqual(['stop', 'stop']);
    });
  });
});
