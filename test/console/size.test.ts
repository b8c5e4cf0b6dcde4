/** What a browser loads before it shows anything. */
import { bundleConsole } from '../../config/tooling/bundle-console.js';

const BUDGET_BYTES = 70 * 1024;

describe('the first load of the console', () => {
  it('is within its budget, compressed', async () => {
    const files = [...(await bundleConsole())].filter(([name]) => name.endsWith('.gz'));
    expect(files).toHaveLength(3);
    expect(files.reduce((sum, [, bytes]) => sum + bytes.byteLength, 0)).toBeLessThanOrEqual(BUDGET_BYTES);
  });
});
