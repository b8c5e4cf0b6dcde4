import { recipeOf } from '../../src/culprits/recipes.js';
import type { Sample } from '../../src/culprits/sample.js';
import { Tally } from '../../src/culprits/tally.js';
import { MetricType, ValueSet } from '../../src/pmapi/index.js';

/** A sample of some metrics: numbers by instance. */
function sampleOf(sec: number, metrics: Readonly<Record<string, Readonly<Record<number, number>>>>): Sample {
  const set = (name: string): ValueSet | undefined => {
    if (!metrics[name]) return undefined;
    const values = new ValueSet();
    values.reset(1, MetricType.DOUBLE);
    for (const [instance, value] of Object.entries(metrics[name])) values.addNumber(Number(instance), value);
    return values;
  };
  return { sec, set, factor: () => 1 };
}

/** A shell that waited for a child, and a program that goes on. */
const processes = (children: number, own: number): Parameters<typeof sampleOf>[1] => ({
  'proc.psinfo.start_time': { 5: 1, 6: 2 },
  'proc.psinfo.ppid': { 5: 1, 6: 5 },
  'proc.psinfo.utime': { 5: 0, 6: own },
  'proc.psinfo.stime': { 5: 0, 6: 0 },
  'proc.psinfo.cutime': { 5: children, 6: 0 },
  'proc.psinfo.cstime': { 5: 0, 6: 0 },
  'proc.fd.count': { 5: 1, 6: own },
});
const machine = {
  ...Object.fromEntries(['user', 'nice', 'sys', 'intr'].map((name) => [`kernel.all.cpu.${name}`, { [-1]: 0 }])),
};

describe('a tally', () => {
  it.each(['processor', 'descriptors'] as const)('of the %s goes on after the last sample of processes', (resource) => {
    const tally = new Tally(recipeOf(resource));
    const total = { ...machine, 'vfs.files.count': { [-1]: 9 } };
    tally.add(sampleOf(0, { ...total, ...processes(0, 100) }));
    tally.add(sampleOf(10, processes(50, 104)));
    tally.add(sampleOf(10.5, { ...total, 'kernel.all.cpu.user': { [-1]: 60 } }));
    const uses = new Map([...tally.ofProcesses()].map(([{ pid }, { use }]) => [pid, use]));
    expect(uses).toEqual(
      resource === 'processor'
        ? new Map([
            [5, 500],
            [6, 40],
          ])
        : new Map([
            [5, 1],
            [6, 104],
          ]),
    );
  });

  it('has uses of the time between samples of processes, which may be a part of the others', () => {
    const tally = new Tally(recipeOf('processor'));
    const total = (user: number) => ({ ...machine, 'kernel.all.cpu.user': { [-1]: user } });
    tally.add(sampleOf(0, total(0)));
    tally.add(sampleOf(11, { ...total(11), ...processes(0, 100) }));
    expect([...tally.ofProcesses()]).toEqual([]);
    tally.add(sampleOf(15, { ...total(15), ...processes(0, 103) }));
    expect([...tally.ofProcesses().values()].map(({ use }) => use)).toEqual([0, 75]);
    expect(tally.total()).toBe(100);
  });

  it('has uses of the machine and of groups over the time between their own samples, which may end earlier', () => {
    const tally = new Tally(recipeOf('processor'));
    const both = (sum: number) => ({
      ...machine,
      'kernel.all.cpu.user': { [-1]: sum },
      'cgroup.cpu.stat.usage': { 4: sum / 2 },
    });
    tally.add(sampleOf(0, { ...both(0), ...processes(0, 100) }));
    tally.add(sampleOf(10, both(10)));
    tally.add(sampleOf(19, processes(0, 119)));
    expect([tally.total(), tally.ofGroup(4)]).toEqual([100, 50]);
  });

  it('charges parents with no more of children that nobody saw than others left of what all did', () => {
    const tally = new Tally(recipeOf('processor'));
    tally.add(sampleOf(0, { ...machine, ...processes(0, 100) }));
    const after = { ...processes(600, 106), 'proc.psinfo.cutime': { 5: 600, 6: 200 } };
    tally.add(sampleOf(10, { ...machine, ...after, 'kernel.all.cpu.user': { [-1]: 20 } }));
    // Of 20 seconds, one did six; the other fourteen are shared out.
    expect([...tally.ofProcesses().values()]).toEqual([
      { use: 105, ofChildren: 105 },
      { use: 95, ofChildren: 35 },
    ]);
  });

  it('keeps what other samples said: who it is, and what children had done before', () => {
    const tally = new Tally(recipeOf('processor'));
    const fewer = Object.fromEntries(Object.entries(processes(0, 100)).filter(([name]) => !name.endsWith('cutime')));
    tally.add(sampleOf(0, fewer));
    tally.add(sampleOf(5, { ...processes(600, 102), 'proc.psinfo.pid': { 5: 50, 6: 60 } }));
    tally.add(sampleOf(10, { ...fewer, 'proc.psinfo.utime': { 5: 0, 6: 104 } }));
    expect([...tally.ofProcesses()]).toEqual([
      [expect.objectContaining({ pid: 5 }), { use: 0, ofChildren: 0 }],
      [expect.objectContaining({ pid: 6, number: 60, parent: 5 }), { use: 40, ofChildren: 0 }],
    ]);
  });

  it('does not take for ended who is busy by children alone: a recorder that knew them may leave it out', () => {
    const tally = new Tally(recipeOf('processor'));
    tally.add(sampleOf(0, { ...machine, ...processes(0, 100) }));
    tally.add(sampleOf(10, { ...machine, ...processes(50, 104) }));
    const start = { 'proc.psinfo.start_time': { 7: 3 } };
    tally.add(sampleOf(20, { ...machine, ...processes(0, 0), ...start, 'proc.psinfo.utime': { 7: 1 } }));
    expect([tally.find(5, 1), tally.find(6, 2)].map((process) => tally.goneOf(process!))).toEqual(['unseen', 'ended']);
  });
});
