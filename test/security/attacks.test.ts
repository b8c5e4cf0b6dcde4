import { ATTACKS } from './attacks/index.js';
import { type Victim, startVictim } from './support/victim.js';

/** Only for those who are slow: others have all the time that a busy machine makes them take. */
const HASTY = {
  PMGATE_LIMITS_HEADERS_TIMEOUT_SEC: '1',
  PMGATE_LIMITS_REQUEST_TIMEOUT_SEC: '1',
  PMGATE_LIMITS_KEEP_ALIVE_TIMEOUT_SEC: '1',
};

/** So that little fills it. */
const FORGETFUL = { PMGATE_LIMITS_MEMORY_BYTES: String(16 * 1024 * 1024) };
/** What the victim of an area is configured by beside the usual. */
const ENVIRONMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'slow clients': HASTY,
  memory: FORGETFUL,
};

describe.each([...new Set(ATTACKS.map(({ area }) => area))])('%s', (area) => {
  const attacks = ATTACKS.filter((attack) => attack.area === area);
  const isSlow = area === 'slow clients';
  const verdicts = new Map<string, ReturnType<(typeof attacks)[number]['run']>>();
  let victim: Victim;
  beforeAll(async () => {
    victim = await startVictim(ENVIRONMENTS[area]);
    // Side by side: they do nothing but wait. Others are to be timed one by one.
    if (isSlow) for (const attack of attacks) verdicts.set(attack.name, attack.run(victim.target));
  });
  afterAll(() => victim.stop());

  test.each(attacks)('is refused: $name', async ({ name, run }) => {
    const { outcome, how } = await (verdicts.get(name) ?? run(victim.target));
    expect(`${outcome}: ${how}`).toMatch(/^refused: /);
  });

  if (area === 'guessing credentials') {
    test('and is told of in the log', () => {
      const clients = victim.lines.filter(({ msg }) => msg === 'repeated failed logins').map(({ client }) => client);
      expect(clients.sort()).toEqual(['127.0.0.1', '127.0.0.1 alice']);
    });
  }

  test('and leaves the gateway well, with no defect met', async () => {
    expect(await victim.target.isWell()).toBe(true);
    expect(victim.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});
