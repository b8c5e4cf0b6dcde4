import { truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FetchResult, INDOM_NULL, type MetricDescriptor } from '../../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../../src/sources/index.js';
import { type BuiltMmv, MmvFlag, MmvLabelFlag, MmvType, buildMmv } from '../../../support/mmv-builder.js';
import { Random } from '../../../support/random.js';
import { type MmvFixture, nextTurn } from './mmv-fixture.js';
import { rows } from '../../../support/rows.js';

/** Numbers that readers stumble over. */
const NUMBERS = [
  0n,
  1n,
  7n,
  255n,
  256n,
  1023n,
  1024n,
  0x7fffffffn,
  0x80000000n,
  0xffffffffn,
  2n ** 53n,
  2n ** 63n - 1n,
  2n ** 63n,
  2n ** 64n - 32n,
  2n ** 64n - 1n,
];

const whole = (version: number): BuiltMmv => ({
  version,
  flags: MmvFlag.SENTINEL,
  cluster: 77,
  indoms: [
    {
      serial: 1,
      instances: rows([0, 'a'], [1, 'b'], [-7, 'c']),
      oneline: 'short',
      help: 'long',
    },
    { serial: 2, instances: [[5, 'e']] },
  ],
  metrics: [
    { name: 'i32', type: MmvType.I32, value: -1 },
    {
      name: 'u64',
      type: MmvType.U64,
      serial: 1,
      value: rows([0, 1], [1, 2n ** 64n - 2n], [-7, 3]),
      oneline: 'o',
      help: 'h',
    },
    { name: 'double', type: MmvType.DOUBLE, serial: 2, value: [[5, 0.5]] },
    {
      name: 'text',
      type: MmvType.STRING,
      serial: 1,
      value: rows([0, 'zero'], [1, 'one']),
    },
    { name: 'elapsed', type: MmvType.ELAPSED, value: 5, extra: -1n },
  ],
  labels: [
    { flags: MmvLabelFlag.CLUSTER, identity: 77, json: '{"a":{"b":[1,2]}}' },
    { flags: MmvLabelFlag.INSTANCES, identity: 1, instance: 0, json: '{"c":"d"}' },
  ],
});

/** Sound files, of which the damaged ones are made. */
const SOUND = [1, 2, 3].map((version) => buildMmv(whole(version)));

/** Whole numbers below what is asked for that look random and are the same for the same seed. */
export function randomNumbers(seed: number): (below: number) => number {
  const random = new Random(seed);
  return (below) => Math.floor(random.between(0, below));
}

/** A damaged file: bytes flipped, numbers replaced, records copied over others, the end cut off. */
export function damagedFile(random: (below: number) => number): Buffer {
  const bytes = Buffer.from(SOUND[random(SOUND.length)]!);
  for (let i = random(6); i >= 0; i--) {
    // Most of what can go wrong is in front of the strings.
    const at = 8 * random(Math.min(bytes.length, random(4) === 0 ? bytes.length : 800) >> 3);
    const number = NUMBERS[random(NUMBERS.length)]!;
    switch (random(5)) {
      case 0:
        bytes[at + random(8)]! ^= 1 << random(8);
        break;
      case 1:
        bytes.writeBigUInt64LE(BigInt.asUintN(64, number), at);
        break;
      case 2:
        bytes.writeUInt32LE(Number(number & 0xffffffffn), at + 4 * random(2));
        break;
      case 3:
        bytes.writeBigUInt64LE(BigInt(random(bytes.length + 64)), at);
        break;
      default:
        bytes.copyWithin(at, 8 * random(bytes.length >> 3), bytes.length);
    }
  }
  // A file that is not complete is not read: mostly that is mended.
  if (random(8) > 0) {
    bytes.write('MMV\0', 0, 'latin1');
    bytes.copy(bytes, 16, 8, 16);
  }
  return random(4) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
}

/**
 * Ask everything about a damaged file beside a sound one, then write another over it and cut it off while it is in use.
 * @throws when the sound file suffers, or an answer is anything but values and PM_ERR codes
 */
export async function survive(mmv: MmvFixture, random: (below: number) => number): Promise<void> {
  const file = path.join(mmv.directory, 'bad');
  mmv.put('bad', damagedFile(random));
  await askEverything(mmv);
  const prepared = await mmv.prepare(await mmv.source.traverse(''));
  writeFileSync(file, damagedFile(random));
  await mmv.source.fetch(prepared, new InstanceProfile(), new FetchResult());
  truncateSync(file, random(1000));
  await mmv.source.fetch(prepared, new InstanceProfile(), new FetchResult());
  await askEverything(mmv);
}

async function askEverything({ source, agent }: MmvFixture): Promise<void> {
  await nextTurn();
  const names = await source.traverse('');
  if (!names.includes('mmv.good.count')) throw new Error(`the sound file is gone: ${JSON.stringify(agent.problems)}`);
  const defect = agent.problems.find(({ reason }) => reason.startsWith('it cannot be read'));
  if (defect) throw new Error(`the reader failed: ${defect.reason}`);
  const pmids = await source.lookupNames(names);
  const result = new FetchResult();
  await source.fetch(source.prepare(pmids), new InstanceProfile(), result);
  for (const set of result.sets)
    if (set.status > 0 && set.column.length !== set.status) throw new Error('a torn value set');
  const good = result.sets[names.indexOf('mmv.good.count')]!;
  if (good.status !== 1 || good.column.numbers[0] !== 7) throw new Error('the sound file has another value');
  for (const { pmid, indom } of (await source.describe(pmids)) as MetricDescriptor[]) {
    await source.helpText({ kind: 'metric', pmid }, 'help');
    await source.labels({ kind: 'cluster', pmid });
    await source.labels({ kind: 'item', pmid });
    if (indom === INDOM_NULL) continue;
    await source.instances(indom).catch(() => undefined);
    await source.labels({ kind: 'instances', indom });
    await source.helpText({ kind: 'indom', indom }, 'oneline');
  }
}

/** The file that must not suffer. */
export const SOUND_FILE: BuiltMmv = { metrics: [{ name: 'count', value: 7 }] };
