import { parseCgroups } from '../../../../src/sources/linux/clusters/process-parsers.js';

const ID = 'a'.repeat(64);

it.each([
  ['0::/system.slice/cron.service\n', { cgroups: ':/system.slice/cron.service', container: '' }],
  ['4:memory:/x\n2:cpu,cpuacct:/y:z\n', { cgroups: 'memory:/x;cpu,cpuacct:/y:z', container: '' }],
  [`0::/system.slice/docker-${ID}.scope\n`, { cgroups: `:/system.slice/docker-${ID}.scope`, container: ID }],
  [`0::/docker/${ID} (deleted)\n`, { cgroups: `:/docker/${ID} (deleted)`, container: ID }],
  ['', {}],
])('%j', (text, expected) => {
  expect(parseCgroups(text)).toEqual(expected);
});
