import { SharedWork } from '../../src/sources/index.js';

/** Work that ends when it is told to, or when it is given up. */
function work(): { shared: SharedWork<string>; finish: (text: string) => void; fail: (error: Error) => void } {
  let finish: (text: string) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const shared = new SharedWork<string>(
    (signal) =>
      new Promise((resolve, reject) => {
        finish = resolve;
        fail = reject;
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      }),
  );
  return { shared, finish, fail };
}

describe('SharedWork', () => {
  it('gives all who wait what comes of it', async () => {
    const { shared, finish } = work();
    const all = [shared.join(), shared.join(new AbortController().signal)];
    finish('done');
    expect(await Promise.all(all)).toEqual(['done', 'done']);
    expect(await shared.join()).toBe('done');
    expect(shared.isGivenUp).toBe(false);
  });

  it('lets one go that leaves, and is given up with the last', async () => {
    const { shared } = work();
    const clients = [new AbortController(), new AbortController()];
    const [first, second] = clients.map(({ signal }) => shared.join(signal));
    clients[0]!.abort(new Error('first'));
    await expect(first).rejects.toThrow('first');
    expect(shared.isGivenUp).toBe(false);
    clients[1]!.abort(new Error('second'));
    await expect(second).rejects.toThrow('second');
    expect(shared.isGivenUp).toBe(true);
    await expect(shared.result).rejects.toThrow('second');
    await expect(shared.join()).rejects.toThrow('second');
  });

  it('is given up when the only one has left before', async () => {
    const { shared } = work();
    await expect(shared.join(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(shared.isGivenUp).toBe(true);
  });

  it('is not given up by who leaves when it is done', async () => {
    const { shared, finish } = work();
    const client = new AbortController();
    const waiting = shared.join(client.signal);
    finish('done');
    await waiting;
    client.abort();
    shared.giveUp(new Error('late'));
    expect(shared.isGivenUp).toBe(false);
    expect(await shared.join()).toBe('done');
  });

  it('passes its error on, and is given up on demand', async () => {
    const failing = work();
    const failed = failing.shared.join();
    failing.fail(new Error('broken'));
    await expect(failed).rejects.toThrow('broken');
    const { shared } = work();
    const waiting = shared.join();
    shared.giveUp(new Error('closing'));
    await expect(waiting).rejects.toThrow('closing');
  });
});
