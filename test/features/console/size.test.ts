/** What a browser loads: before it shows anything, and for all screens. */
import { bundleConsole } from '../../../config/tooling/bundle-console.js';

const [FIRST_BYTES, ALL_BYTES, WORKER_BYTES] = [70 * 1024, 100 * 1024, 250 * 1024];

describe('the console, compressed', () => {
  it('is within its budgets: what its page names, all of its screens, and the worker for local archives', async () => {
    const files = await bundleConsole();
    const page = Buffer.from(files.get('index.html') ?? '').toString();
    const sizes = [...files].flatMap(([name, bytes]) =>
      name.endsWith('.gz') ? [{ name: name.slice(0, -'.gz'.length), size: bytes.byteLength }] : [],
    );
    const first = sizes.filter(({ name }) => name === 'index.html' || page.includes(name));
    expect(first.length).toBeLessThan(sizes.length);
    const sum = (all: typeof sizes): number => all.reduce((total, { size }) => total + size, 0);
    expect(sum(first)).toBeLessThanOrEqual(FIRST_BYTES);
    const [, worker = ''] = /id="worker">([^<]+)</.exec(Buffer.from(files.get('viewer.html')!).toString())!;
    expect(Buffer.from(worker, 'base64').length).toBeLessThanOrEqual(WORKER_BYTES);
    expect(sum(sizes.filter(({ name }) => name !== 'viewer.html'))).toBeLessThanOrEqual(ALL_BYTES);
  });
});
