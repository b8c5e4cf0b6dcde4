import { type Waits, doWaiting, waitFor } from '../../src/sources/waits.js';

describe('work that may have to wait', () => {
  function* sum(...parts: readonly (number | Promise<number>)[]): Waits<number> {
    let total = 0;
    for (const part of parts) total += typeof part === 'number' ? part : yield* waitFor(part);
    return total;
  }

  it('is done at once where everything is there', () => {
    expect(doWaiting(sum(1, 2))).toBe(3);
  });

  it('waits as often as it has to', async () => {
    expect(await doWaiting(sum(1, Promise.resolve(2), 3, Promise.resolve(4)))).toBe(10);
  });

  it('throws what it throws before it waits, and rejects with all else', async () => {
    const failure = new Error('broken');
    function* failing(waitsFirst: boolean): Waits<void> {
      if (waitsFirst) yield* waitFor(Promise.resolve());
      throw failure;
    }
    expect(() => doWaiting(failing(false))).toThrow(failure);
    await expect(doWaiting(failing(true))).rejects.toBe(failure);
    await expect(doWaiting(sum(1, Promise.reject(failure)))).rejects.toBe(failure);
  });

  it('can handle the failure of what it waits for, and go on', async () => {
    function* patient(): Waits<string> {
      try {
        yield* waitFor(Promise.reject(new Error('broken')));
      } catch {
        return yield* waitFor(Promise.resolve('mended'));
      }
      return 'whole';
    }
    expect(await doWaiting(patient())).toBe('mended');
  });
});
