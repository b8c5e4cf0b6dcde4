import fc from '../../support/properties.js';
import { FetchResult, GatewayError, PmError } from '../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../src/sources/index.js';
import { PmcdPools, type PmcdSource } from '../../../src/sources/pmcd/index.js';
import { FakePmcd } from '../../support/fake-pmcd.js';
import { ManualTimers } from '../../support/manual-timers.js';
import { long, textPdu } from '../../support/pdu-builder.js';
import { rows } from '../../support/rows.js';

const INDOM = 7;
const CREDS = 0x700c;
const TEXT_REQ = 0x7008;

function askEverything(source: PmcdSource): Promise<unknown>[] {
  const result = new FetchResult();
  return [
    source.fetch(source.prepare([1, 2, 3]), new InstanceProfile(), result),
    source.lookupNames(['a.number', 'a.none', 'a']),
    source.describe([1, 2, 99]),
    source.instances(INDOM),
    source.labels({ kind: 'context' }),
    source.helpText({ kind: 'metric', pmid: 1 }, 'help'),
    source.children('a'),
    source.traverse(''),
    source.namesOf(1),
    source.info(),
  ];
}

describe('a pmcd that lies', () => {
  let fake: FakePmcd;
  let timers: ManualTimers;
  let pools: PmcdPools;

  beforeAll(async () => {
    fake = await FakePmcd.start();
    fake.indoms.set(INDOM, rows([1, 'one'], [2, 'two']));
    fake.metrics = [
      { name: 'a.number', descriptor: [1, 1, 0xffffffff, 3, 0], values: [[-1, 42]], oneline: 'a number' },
      {
        name: 'a.text',
        descriptor: [2, 6, INDOM, 3, 0],
        values: rows([1, { type: 6, data: Buffer.from('x\0') }], [2, { type: 6, data: Buffer.from('yz\0') }]),
      },
      { name: 'a.wide', descriptor: [3, 3, 0xffffffff, 1, 0], values: [[-1, { type: 3, data: long(5n) }]] },
    ];
    timers = new ManualTimers();
    pools = new PmcdPools({ timers });
  });

  afterAll(async () => {
    pools.destroy(new Error('the test is over'));
    await fake.stop();
  });

  /** Wait for promises, letting time pass so that what hangs runs into its time-out. */
  async function settle(promises: readonly Promise<unknown>[]): Promise<PromiseSettledResult<unknown>[]> {
    let settled: PromiseSettledResult<unknown>[] | undefined;
    void Promise.allSettled(promises).then((results) => (settled = results));
    for (let turn = 0; !settled; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (turn % 50 === 49) timers.advance(1_000);
    }
    return settled;
  }

  it('never leaves a promise unsettled, and never shows an error without a code, whatever byte it changes', async () => {
    const source = await pools.open(fake.hostspec);
    let rejected = 0;
    const garble = fc.array(fc.tuple(fc.nat(80), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(garble, async (changes) => {
        fake.garbleReply = (reply, request) => {
          if (request.type === CREDS) return reply;
          const bytes = Buffer.from(reply);
          for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
          return bytes;
        };
        for (const outcome of await settle(askEverything(source))) {
          if (outcome.status === 'rejected') {
            rejected++;
            expect(outcome.reason instanceof PmError || outcome.reason instanceof GatewayError).toBe(true);
          }
        }
        fake.garbleReply = undefined;
        timers.advance(60_000);
        const honest = await settle(askEverything(source));
        expect(honest.map(({ status }) => status)).not.toContain('rejected');
      }),
      { numRuns: 60 },
    );
    expect(rejected).toBeGreaterThan(100);
    expect(fake.openConnections).toBeLessThanOrEqual(2);
  });

  it('cannot send help texts of megabytes: the connection ends with the header of the first', async () => {
    const source = await pools.open(fake.hostspec);
    fake.intercept = ({ type }) => (type === TEXT_REQ ? textPdu(1, 'x'.repeat(2 * 1024 * 1024)) : undefined);
    await expect(source.helpText({ kind: 'metric', pmid: 1 }, 'help')).rejects.toThrow(
      /a PDU of type TEXT claims a length of 2097\d+ bytes, expected 12 to 1048576/,
    );
    fake.intercept = ({ type }) => (type === TEXT_REQ ? textPdu(1, 'x'.repeat(1_000_000)) : undefined);
    timers.advance(60_000);
    expect(await source.helpText({ kind: 'metric', pmid: 1 }, 'help')).toBe('x'.repeat(65_536));
    fake.intercept = undefined;
  });
});
