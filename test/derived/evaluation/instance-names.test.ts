import { findInstance, instanceNames, shortInstanceName } from '../../../src/derived/evaluation/instance-names.js';
import type { InstanceDomain } from '../../../src/pmapi/index.js';
import { INDOM } from './support/values.js';

const domain: InstanceDomain = {
  indom: INDOM,
  instances: [
    { id: 7, name: '0007 /usr/bin/pmcd -f' },
    { id: 9, name: 'eth0' },
    { id: 3, name: '0007' },
  ],
};

describe('findInstance', () => {
  it.each([
    ['0007 /usr/bin/pmcd -f', 7],
    ['0007', 3],
    ['eth0', 9],
    ['0007 /usr/bin/pmcd', undefined],
    ['ETH0', undefined],
    ['', undefined],
  ])('%s is instance %s', (name, id) => {
    expect(findInstance(domain, name)).toBe(id);
  });

  it('takes the first of several whose names begin alike', () => {
    const alike = { indom: INDOM, instances: [1, 2].map((id) => ({ id, name: `a ${id}` })) };
    expect(findInstance(alike, 'a')).toBe(1);
  });
});

describe('instanceNames', () => {
  it('maps ids to names, made once for a listing', () => {
    expect(instanceNames(domain).get(9)).toBe('eth0');
    expect(instanceNames(domain)).toBe(instanceNames(domain));
    expect(instanceNames({ ...domain, instances: [] }).size).toBe(0);
  });
});

describe('shortInstanceName', () => {
  it.each([
    ['1 minute', '1'],
    ['sda', 'sda'],
    [' x', ''],
  ])('%j is short for %j', (name, short) => {
    expect(shortInstanceName(name)).toBe(short);
  });
});
