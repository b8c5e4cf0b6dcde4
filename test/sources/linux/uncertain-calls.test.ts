import { NO_ANSWER, UncertainCalls } from '../../../src/sources/linux/uncertain-calls.js';
import { ManualTimers } from '../../support/manual-timers.js';

function heldCalls(ofKind = 2) {
  const timers = new ManualTimers();
  const calls = new UncertainCalls(timers, { ofKind, inAll: 3 });
  const made: string[] = [];
  const returns = new Map<string, (answer: string) => void>();
  const fails = new Map<string, (cause: Error) => void>();
  const ask = (key: string, kind = 'a kind'): Promise<unknown> =>
    calls.ask(kind, key, () => {
      made.push(key);
      return new Promise<string>((resolve, reject) => {
        returns.set(key, resolve);
        fails.set(key, reject);
      });
    });
  return { timers, made, returns, fails, ask };
}

describe('UncertainCalls', () => {
  it('makes a call once for all who ask while it is under way, and anew after that', async () => {
    const { made, returns, ask, timers } = heldCalls();
    const both = [ask('a'), ask('a')];
    returns.get('a')!('one');
    expect(await Promise.all(both)).toEqual(['one', 'one']);
    const again = ask('a');
    returns.get('a')!('two');
    expect([await again, made, timers.pending]).toEqual(['two', ['a', 'a'], 0]);
  });

  it('serves others beside one that hangs, in the order in which they came', async () => {
    const { made, returns, ask, timers } = heldCalls();
    const dead = ask('dead');
    timers.advance(1000);
    expect(await dead).toBe(NO_ANSWER);
    const [b, c] = [ask('b'), ask('c')];
    expect(made).toEqual(['dead', 'b']);
    returns.get('b')!('1');
    expect(await b).toBe('1');
    await new Promise((resolve) => setImmediate(resolve));
    expect(made).toEqual(['dead', 'b', 'c']);
    returns.get('c')!('2');
    expect(await c).toBe('2');
  });

  it('lets those of another kind go on beside those that hang, as long as a thread is left', async () => {
    const { made, returns, ask, timers } = heldCalls();
    const hanging = [ask('x'), ask('y')];
    timers.advance(1000);
    expect(await Promise.all(hanging)).toEqual([NO_ANSWER, NO_ANSWER]);
    const [one, two] = [ask('1', 'other'), ask('2', 'other')];
    expect(made).toEqual(['x', 'y', '1']);
    returns.get('1')!('first');
    expect(await one).toBe('first');
    timers.advance(1000);
    expect(await two).toBe(NO_ANSWER);
    expect(await ask('3', 'third')).toBe(NO_ANSWER);
    returns.get('x')!('late');
    await new Promise((resolve) => setImmediate(resolve));
    const third = ask('3', 'third');
    returns.get('3')!('third');
    expect(await third).toBe('third');
    expect(made).toEqual(['x', 'y', '1', '2', '3']);
  });

  it('hands on errors, and tells nobody of those that come late', async () => {
    const { fails, ask, timers } = heldCalls(1);
    const first = ask('a');
    fails.get('a')!(new Error('ESTALE'));
    await expect(first).rejects.toThrow('ESTALE');
    const second = ask('a');
    timers.advance(1000);
    expect(await second).toBe(NO_ANSWER);
    fails.get('a')!(new Error('EIO'));
    await new Promise((resolve) => setImmediate(resolve));
    const third = ask('a');
    fails.get('a')!(new Error('ENOENT'));
    await expect(third).rejects.toThrow('ENOENT');
  });

  it('takes a call that throws at once for one that failed', async () => {
    const calls = new UncertainCalls(new ManualTimers());
    const broken = (): Promise<string> => {
      throw new Error('EMFILE');
    };
    await expect(calls.ask('a kind', 'a', broken)).rejects.toThrow('EMFILE');
    expect(await calls.ask('a kind', 'a', () => Promise.resolve('fine'))).toBe('fine');
  });
});
