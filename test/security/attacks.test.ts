import { ATTACKS } from './attacks/index.js';
import { startVictim } from './support/victim.js';
import type { Victim } from './support/victim.js';

let victim: Victim;
beforeAll(async () => {
  victim = await startVictim();
});
afterAll(async () => {
  await victim.stop();
});

describe.each([...new Set(ATTACKS.map(({ area }) => area))])('%s', (area) => {
  const attacks = ATTACKS.filter((attack) => attack.area === area);
  // Side by side: many of them do nothing but wait.
  const verdicts = new Map<string, ReturnType<(typeof attacks)[number]['run']>>();

  test.each(attacks.map(({ name }) => name))('is refused: %s', async (name) => {
    if (verdicts.size === 0) for (const attack of attacks) verdicts.set(attack.name, attack.run(victim.target));
    const { outcome = 'not made', how = '' } = (await verdicts.get(name)) ?? {};
    expect(`${outcome}: ${how}`).toMatch(/^refused: /);
  });

  if (area === 'guessing credentials') {
    test('and is told of in the log', () => {
      const clients = victim.lines
        .filter(({ msg }) => msg === 'somebody guesses credentials')
        .map(({ client }) => client);
      expect(clients.sort()).toEqual(['127.0.0.1', '127.0.0.1 alice']);
    });
  }

  test('and leaves the gateway well, with no defect met', async () => {
    expect(await victim.target.isWell()).toBe(true);
    expect(victim.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});
