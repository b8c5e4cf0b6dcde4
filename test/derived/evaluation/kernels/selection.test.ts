import {
  findInstance,
  instanceNames,
  shortInstanceName,
} from '../../../../src/derived/evaluation/kernels/selection.js';
import type { BoundNode } from '../../../../src/derived/semantics/bound-expression.js';
import { type Instance, type InstanceDomain, MetricType, type ValueSet } from '../../../../src/pmapi/index.js';
import { ANYWHERE, Bench, INDOM, metadata, operand, valueSet } from '../support/values.js';
import { rows } from '../../../support/rows.js';

describe('selection', () => {
  const { U32 } = MetricType;

  function select(instance: string): BoundNode {
    return {
      kind: 'select-instance',
      instance,
      slot: 0,
      operand: operand(0, U32),
      meta: metadata({ type: U32, indom: INDOM }),
      range: ANYWHERE,
    };
  }

  /** matchinst() with a pattern that counts how often it is asked. */
  function match(regex: RegExp, negated = false): { node: BoundNode; asked: string[] } {
    const asked: string[] = [];
    const test = (name: string): boolean => {
      asked.push(name);
      return regex.test(name);
    };
    const node: BoundNode = {
      kind: 'match-instances',
      pattern: { source: regex.source, test },
      negated,
      slot: 0,
      operand: operand(0, U32),
      meta: metadata({ type: U32, indom: INDOM }),
      range: ANYWHERE,
    };
    return { node, asked };
  }

  function domain(...instances: readonly (readonly [number, string])[]): { indom: number; instances: Instance[] } {
    return { indom: INDOM, instances: instances.map(([id, name]) => ({ id, name })) };
  }

  const values = (...pairs: readonly (readonly [number, number])[]): ValueSet => valueSet(U32, pairs);

  describe('selectInstanceKernel', () => {
    it('looks for an unknown name again at the next fetch, and remembers what it found', () => {
      const bench = new Bench(select('sdb'));
      bench.domain = domain([0, 'sda']);
      expect(bench.sample(0, values([0, 1]))).toEqual([]);
      bench.domain = domain([0, 'sda'], [1, 'sdb']);
      expect(bench.sample(1, values([0, 1], [1, 2]))).toEqual([[1, 2]]);
      bench.domain = domain([0, 'sda']);
      expect(bench.sample(2, values([0, 1], [1, 3]))).toEqual([[1, 3]]);
      expect(bench.sample(3, values([0, 1]))).toEqual([]);
    });

    it('goes with the name when instances change their numbers', () => {
      const bench = new Bench(select('eth0'));
      bench.domain = domain([2, 'eth0'], [3, 'eth1']);
      expect(bench.sample(0, values([2, 20], [3, 30]))).toEqual([[2, 20]]);
      bench.domain = domain([2, 'eth1'], [3, 'eth0']);
      expect(bench.sample(1, values([2, 31], [3, 21]))).toEqual([[3, 21]]);
      bench.domain = domain([2, 'eth1'], [3, 'eth2']);
      expect(bench.sample(2, values([2, 32], [3, 22]))).toEqual([]);
      bench.domain = domain([4, 'eth0'], [2, 'eth1']);
      expect(bench.sample(3, values([2, 33], [4, 23]))).toEqual([[4, 23]]);
    });
  });

  describe('matchInstancesKernel', () => {
    it('asks the pattern once for each id and name', () => {
      const { node, asked } = match(/./);
      const bench = new Bench(node);
      bench.domain = domain([1, 'a'], [2, 'b']);
      bench.sample(0, values([1, 1], [2, 2]));
      bench.sample(1, values([1, 1], [2, 2]));
      bench.domain = domain([1, 'a'], [2, 'c']);
      bench.sample(2, values([1, 1], [2, 2]));
      expect(asked).toEqual(['a', 'b', 'c']);
    });

    it('leaves out an instance that has no name, negated or not', () => {
      for (const negated of [false, true]) {
        const bench = new Bench(match(/x/, negated).node);
        expect(bench.sample(0, values([9, 1]))).toEqual([]);
      }
    });
  });
});

describe('instance names', () => {
  const domain: InstanceDomain = {
    indom: INDOM,
    instances: rows({ id: 7, name: '0007 /usr/bin/pmcd -f' }, { id: 9, name: 'eth0' }, { id: 3, name: '0007' }),
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
});
