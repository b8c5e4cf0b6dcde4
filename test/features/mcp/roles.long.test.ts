import { askInSecret } from './support/hidden.js';

it('shows a limited role nothing that is hidden from it in 10,000 calls', async () => {
  const { shown, answered, seen } = await askInSecret(10_000, 20_261_126);
  expect(shown.slice(0, 3)).toEqual([]);
  expect(seen).toBeGreaterThan(0);
  expect(answered).toBeGreaterThan(4000);
}, 900_000);
