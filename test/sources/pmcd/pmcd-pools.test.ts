import { FetchResult } from '../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../src/sources/index.js';
import { PMCD_POOLS_DEFAULTS, PmcdPools, type PmcdSource } from '../../../src/sources/pmcd/index.js';
import { FakePmcd } from '../../support/fake-pmcd.js';
import { ManualTimers } from '../../support/manual-timers.js';
import { attributePdu, errorPdu } from '../../support/pdu-builder.js';

let fake: FakePmcd;
let timers: ManualTimers;
let pools: PmcdPools;

beforeEach(async () => {
  fake = await FakePmcd.start();
  fake.metrics = [{ name: 'a', descriptor: [1, 1, 0xffffffff, 3, 0], values: [[-1, 42]] }];
  timers = new ManualTimers();
  pools = new PmcdPools({ timers });
});

afterEach(async () => {
  pools.destroy(new Error('the test is over'));
  await fake.stop();
});

async function fetchOne(source: PmcdSource): Promise<number | undefined> {
  const result = new FetchResult();
  await source.fetch(source.prepare([1]), new InstanceProfile(), result);
  return result.sets[0]!.column.numbers[0];
}

describe('PmcdPools', () => {
  it('carries a thousand contexts over two connections', async () => {
    const sources = await Promise.all(Array.from({ length: 1000 }, () => pools.open(fake.hostspec)));
    const values = await Promise.all(
      sources.map(async (source) => [await fetchOne(source), (await source.namesOf(1))[0]]),
    );
    expect(values).toEqual(sources.map(() => [42, 'a']));
    expect(fake.connections).toBe(2);
    expect(pools.openConnections).toBe(2);
    expect(pools.hosts).toBe(1);
  });

  it('keeps as many connections as it is told', async () => {
    pools = new PmcdPools({ timers, connections: 1 });
    const source = await pools.open(fake.hostspec);
    await Promise.all([fetchOne(source), source.namesOf(1)]);
    expect(fake.connections).toBe(1);
  });

  it('shares between spellings of one hostspec, not between identities', async () => {
    fake.intercept = ({ type, bytes }) => {
      if (type === 0x700c && bytes.readUInt16BE(18) === 4) return attributePdu(0, 'PLAIN');
      return type === 0x7011 ? errorPdu(0) : undefined;
    };
    await pools.open(fake.hostspec);
    await pools.open(`pcp://${fake.hostspec}`);
    expect(fake.connections).toBe(1);
    await pools.open(fake.hostspec, { username: 'a', password: 'b' });
    await pools.open(fake.hostspec, { username: 'a', password: 'c' });
    await pools.open(fake.hostspec, { username: 'a', password: 'c' });
    expect(fake.connections).toBe(3);
  });

  it('says at once what is wrong with a hostspec', async () => {
    await expect(pools.open('host:')).rejects.toMatchObject({ code: 'BAD_PARAMETER', offset: 5 });
    expect(pools.hosts).toBe(0);
  });

  it('fails to open what refuses, and remembers for as long as the back-off lasts', async () => {
    const { hostspec } = fake;
    await fake.stop();
    await expect(pools.open(hostspec)).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
    expect(pools.hosts).toBe(1);
    await expect(pools.open(hostspec)).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
    timers.advance(2 * PMCD_POOLS_DEFAULTS.lingerMs);
    expect(pools.hosts).toBe(0);
  });

  it('forgets the host unused for longest where hosts.max allows no more, and refuses when all are in use', async () => {
    const [gone, other] = [await FakePmcd.start(), await FakePmcd.start()];
    const { hostspec: nobody } = gone;
    await gone.stop();
    pools = new PmcdPools({ timers, maxHosts: 2 });
    await (await pools.open(other.hostspec)).close();
    timers.advance(1);
    await expect(pools.open(nobody)).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
    expect(await fetchOne(await pools.open(fake.hostspec))).toBe(42);
    await other.drained();
    expect(pools.hosts).toBe(2);
    await pools.open(other.hostspec);
    await expect(pools.open(nobody)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await other.stop();
  });

  it('asks a silent host once, whoever else asks meanwhile, and delays no other', async () => {
    const silent = await FakePmcd.start();
    silent.challenge = 'nothing';
    const failing = Array.from({ length: 20 }, () => pools.open(silent.hostspec).catch((error: unknown) => error));
    const healthy = await pools.open(fake.hostspec);
    expect(await fetchOne(healthy)).toBe(42);
    while (silent.connections === 0) await new Promise((resolve) => setImmediate(resolve));
    timers.advance(PMCD_POOLS_DEFAULTS.connectTimeoutMs);
    for (const error of await Promise.all(failing)) expect(error).toMatchObject({ code: 'SOURCE_TIMEOUT' });
    await expect(pools.open(silent.hostspec)).rejects.toMatchObject({ code: 'SOURCE_TIMEOUT' });
    expect(silent.connections).toBe(1);
    await silent.stop();
  });

  it('does not remember refused credentials', async () => {
    fake.intercept = ({ type }) =>
      type === 0x700c ? attributePdu(0, 'PLAIN') : type === 0x7011 ? errorPdu(-12387) : undefined;
    const identity = { username: 'a', password: 'wrong' };
    await expect(pools.open(fake.hostspec, identity)).rejects.toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
    expect(pools.hosts).toBe(0);
  });

  it('keeps connections for a while after the last context, then lets go', async () => {
    const first = await pools.open(fake.hostspec);
    await first.close();
    timers.advance(PMCD_POOLS_DEFAULTS.lingerMs - 1);
    const second = await pools.open(fake.hostspec);
    expect(fake.connections).toBe(1);
    timers.advance(PMCD_POOLS_DEFAULTS.lingerMs);
    expect(await fetchOne(second)).toBe(42);
    await second.close();
    timers.advance(2 * PMCD_POOLS_DEFAULTS.lingerMs);
    await fake.drained();
    expect(pools.hosts).toBe(0);
    expect(timers.pending).toBe(0);
  });

  it('closes everything, and opens nothing afterwards', async () => {
    const source = await pools.open(fake.hostspec);
    await fetchOne(source);
    await pools.close();
    await fake.drained();
    await expect(pools.open(fake.hostspec)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(fetchOne(source)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
