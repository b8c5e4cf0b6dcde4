import { classifyDevice } from '../../../../src/sources/linux/clusters/disk.js';

describe('classifyDevice', () => {
  it.each([
    ['sda', 'dev'],
    ['sda1', 'partitions'],
    ['vda', 'dev'],
    ['vdb12', 'partitions'],
    ['xvda', 'dev'],
    ['xvda1', 'partitions'],
    ['nvme0n1', 'dev'],
    ['nvme0n1p2', 'partitions'],
    ['mmcblk0', 'dev'],
    ['mmcblk0p1', 'partitions'],
    ['rbd0', 'dev'],
    ['rbd0p1', 'partitions'],
    ['nbd3', 'dev'],
    ['nbd3p1', 'partitions'],
    ['cciss/c0d0', 'dev'],
    ['cciss/c0d0p1', 'partitions'],
    ['dm-0', 'dm'],
    ['md0', 'md'],
    ['md127', 'md'],
    ['loop0', undefined],
    ['ram0', undefined],
    ['zram0', undefined],
    ['sr0', undefined],
    ['xvm0', undefined],
    ['xxvmb', undefined],
  ])('%s: %s', (name, family) => {
    expect(classifyDevice(name)).toBe(family);
  });
});
