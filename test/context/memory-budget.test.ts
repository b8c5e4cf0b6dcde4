import { BudgetedMap, MemoryBudget } from '../../src/context/memory-budget.js';

const ENTRY = 300;

describe('MemoryBudget', () => {
  it('drops what was not used for longest, whichever map has it', () => {
    const budget = new MemoryBudget(3 * (1000 + ENTRY));
    const [one, other] = [new BudgetedMap<string, string>(budget), new BudgetedMap<string, string>(budget)];
    one.set('a', 'A', 1000);
    other.set('a', 'B', 1000);
    one.set('c', 'C', 1000);
    expect(one.get('a')).toBe('A');
    other.set('d', 'D', 1000);
    expect([one.get('a'), one.get('c'), other.get('a'), other.get('d')]).toEqual(['A', 'C', undefined, 'D']);
    expect(budget.bytes).toBe(3 * (1000 + ENTRY));
  });

  it('makes room for what has grown', () => {
    const budget = new MemoryBudget(3000);
    const map = new BudgetedMap<string, object>(budget);
    const [a, b] = [{}, {}];
    map.set('a', a, 100);
    map.set('b', b, 100);
    map.resize('b', b, 2500);
    expect([map.get('a'), map.get('b')]).toEqual([undefined, b]);
    expect(budget.bytes).toBe(2500 + ENTRY);
    map.resize('b', a, 5);
    expect(budget.bytes).toBe(2500 + ENTRY);
  });

  it('keeps nothing that is too large by itself', () => {
    const budget = new MemoryBudget(1000);
    const map = new BudgetedMap<string, string>(budget);
    map.set('small', 'S', 100);
    map.set('large', 'L', 1000);
    expect([map.get('small'), map.get('large')]).toEqual(['S', undefined]);
    map.resize('small', 'S', 1000);
    expect([map.size, budget.bytes]).toEqual([0, 0]);
  });

  it('is part of another one, which may drop what it keeps', () => {
    const whole = new MemoryBudget(3 * (1000 + ENTRY));
    const parts = [new MemoryBudget(2 * (1000 + ENTRY), whole), new MemoryBudget(1_000_000, whole)] as const;
    const [one, other] = [new BudgetedMap<string, string>(parts[0]), new BudgetedMap<string, string>(parts[1])];
    for (const key of ['a', 'b', 'c']) one.set(key, key, 1000);
    expect([...one.keys()]).toEqual(['b', 'c']);
    other.set('a', 'A', 1000);
    one.get('b');
    other.set('b', 'B', 1000);
    expect([...one.keys(), ...other.keys()]).toEqual(['b', 'a', 'b']);
    expect([parts[0].bytes, parts[1].bytes, whole.bytes]).toEqual([1300, 2600, 3900]);
    other.set('large', 'L', 4000);
    expect([other.get('large'), parts[1].bytes, whole.bytes]).toEqual([undefined, 2600, 3900]);
    one.clear();
    other.clear();
    expect([parts[0].bytes, parts[1].bytes, whole.bytes]).toEqual([0, 0, 0]);
  });

  it('gives back what is deleted, replaced and cleared', () => {
    const budget = new MemoryBudget(10_000);
    const map = new BudgetedMap<string, number>(budget);
    map.set('a', 1, 100);
    map.set('a', 2, 200);
    expect(budget.bytes).toBe(200 + ENTRY);
    map.set('b', 3, 100);
    map.delete('a');
    map.delete('a');
    expect(budget.bytes).toBe(100 + ENTRY);
    map.clear();
    expect([map.size, budget.bytes]).toEqual([0, 0]);
  });
});

describe('BudgetedMap', () => {
  it('keeps so many entries at most, those used last', () => {
    const map = new BudgetedMap<string, number>(new MemoryBudget(1_000_000), 2);
    map.set('a', 1, 1);
    map.set('b', 2, 1);
    expect(map.get('a')).toBe(1);
    map.set('c', 3, 1);
    expect([...map.keys()]).toEqual(['a', 'c']);
    expect([...map.values()]).toEqual([1, 3]);
  });
});
