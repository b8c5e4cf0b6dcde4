import fc, { tries } from '../../../support/properties.js';
import { rmSync } from 'node:fs';
import { CollectedTree, makeTree } from '../support/collected.js';

/** Files that are parsed; each gets a text of shuffled pieces of what such files hold. */
const FILES = [
  'proc/stat',
  'proc/meminfo',
  'proc/vmstat',
  'proc/loadavg',
  'proc/uptime',
  'proc/interrupts',
  'proc/softirqs',
  'proc/cpuinfo',
  'proc/diskstats',
  'proc/partitions',
  'proc/swaps',
  'proc/self/mounts',
  'proc/pressure/cpu',
  'proc/pressure/io',
  'proc/sys/fs/file-nr',
  'proc/sys/kernel/hostname',
  'proc/sys/kernel/pid_max',
  'sys/devices/system/node/node0/meminfo',
  'sys/devices/system/cpu/cpu0/online',
  'sys/block/sda/queue/scheduler',
  'sys/block/dm-0/dm/name',
  'var/run/utmp',
  ...['dev', 'snmp', 'netstat', 'sockstat', 'sockstat6', 'softnet_stat', 'if_inet6', 'tcp'].map(
    (file) => `proc/net/${file}`,
  ),
];

const piece = fc.oneof(
  fc.constantFrom(' ', '\n', '\t', ':', '=', '-', '\0', '\\040', '\\9', '[', ']', '/', 'ro', '.', 'é'),
  fc.constantFrom('cpu', 'cpu0', 'cpu00000000001', 'intr', 'ctxt', 'MemTotal:', 'MemFree: ', 'pgfault ', 'pswpin '),
  fc.constantFrom('8 0 sda ', '8 1 sda1 ', '253 0 dm-0 ', '9 0 md0 ', 'processor', 'model name', 'cpu MHz', 'bogomips'),
  fc.constantFrom('CPU0', 'CPU1', 'LOC', 'ERR', 'some avg10', 'full total', '/dev/sda1 ', 'ext4 ', 'Node 0 '),
  fc.constantFrom(
    'Tcp:',
    'TcpExt: ',
    'InSegs',
    'used',
    'eth0',
    'eth0:',
    '-1',
    'fe800000000000000000000000000001 02 40 20 80 ',
  ),
  fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.double().map(String),
);
const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

function isNumber(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isNumber);
}

const isError = (value: unknown): boolean => typeof value === 'object' && value !== null && 'error' in value;

describe('the clusters over files that make no sense', () => {
  it('answer every metric, with a value or without, and never fail', async () => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(...FILES.map(() => text)), async (texts) => {
        const root = makeTree(Object.fromEntries(FILES.map((file, i) => [file, texts[i]!])));
        const tree = new CollectedTree(root);
        const names = await tree.collector.open().traverse('');
        const first = await tree.fetch(names);
        tree.clock.advance(2000);
        const second = await tree.fetch(names);
        await tree.collector.close();
        rmSync(root, { recursive: true });
        const nonsense = second.flatMap((value, i) =>
          isNumber(value)
            ? []
            : [
                `${names[i]!}: ${JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one))}`,
              ],
        );
        expect(nonsense).toEqual([]);
        const failed = names.filter((name, i) => name.startsWith('network.') && isError(second[i]));
        expect(failed).toEqual([]);
        const cannot = tree.log.filter((line) => /^cannot read |failed$/.test(line));
        expect([cannot, first.length, second.length]).toEqual([[], names.length, names.length]);
      }),
      { numRuns: tries(60), endOnFailure: true }, // shrinking that many files takes minutes,
    );
  });
});
