import { askInSecret } from './support/hidden.js';

it('shows a limited role nothing that is hidden from it: no name, value, help, instance, error or suggestion', async () => {
  const { shown, answered, seen } = await askInSecret(100, 31);
  expect(shown.slice(0, 3)).toEqual([]);
  expect(seen).toBeGreaterThan(0);
  expect(answered).toBeGreaterThan(30);
});
