import { BusiestProcesses } from '../../../../src/features/recorder/who/busiest-processes.js';
import type { ProcessDetails, ProcessNumbers } from '../../../../src/features/recorder/who/busiest-processes.js';

const NO_IO = new Map<number, number>();

/** Of processes whose open files were not counted. */
const ofIo = (io: ReadonlyMap<number, number>): ReadonlyMap<number, ProcessDetails> =>
  new Map([...io].map(([pid, bytes]) => [pid, { io: bytes, files: undefined }]));

/** A process that began with the machine and does nothing. */
function process(pid: number, numbers: Partial<ProcessNumbers> = {}): ProcessNumbers {
  return { pid, startMs: 0, parent: 1, cpuMs: 0, childrenMs: 0, memory: 0, faults: 0, ...numbers };
}

describe('BusiestProcesses', () => {
  let busiest: BusiestProcesses;
  beforeEach(() => {
    busiest = new BusiestProcesses();
  });

  async function chosen(processes: readonly ProcessNumbers[], io: ReadonlyMap<number, number> = NO_IO) {
    await busiest.look(processes);
    return busiest.choose(ofIo(io));
  }

  /** Two samples in which nothing happens: nobody is left from the start. */
  async function settle(processes: readonly ProcessNumbers[], io: ReadonlyMap<number, number> = NO_IO): Promise<void> {
    await chosen(processes, io);
    await chosen(processes, io);
    await chosen(processes, io);
  }

  it('chooses ten by CPU, memory, I/O and growth each', async () => {
    const all = Array.from({ length: 100 }, (_, i) => i + 1);
    const before = all.map((pid) => process(pid, { memory: pid > 80 ? 1000 + pid : 0 }));
    await settle(before, new Map(all.map((pid) => [pid, 0])));
    const after = before.map((one) => {
      const { pid } = one;
      if (pid <= 20) return { ...one, cpuMs: pid };
      return pid <= 40 ? { ...one, memory: pid } : one;
    });
    const io = new Map(all.filter((pid) => pid > 40 && pid <= 60).map((pid) => [pid, pid]));
    const ten = (last: number): number[] => Array.from({ length: 10 }, (_, i) => last - 9 + i);
    expect(await chosen(after, io)).toEqual([...ten(20), ...ten(40), ...ten(60), ...ten(100)]);
  });

  it('counts a new process with all its CPU, an old one with what it did since the last sample', async () => {
    const old = Array.from({ length: 10 }, (_, i) => process(i + 1, { cpuMs: 50_000 }));
    await settle(old);
    const later = old.map((one) => ({ ...one, cpuMs: one.cpuMs + 100 }));
    expect(await chosen([...later, process(99, { startMs: 9000, cpuMs: 200 })])).toContain(99);
    const next = later.map((one) => ({ ...one, cpuMs: one.cpuMs + 100 }));
    await chosen([...next, process(99, { startMs: 9000, cpuMs: 201 })]);
    expect(await chosen([...next, process(99, { startMs: 9000, cpuMs: 201 })])).not.toContain(99);
  });

  it('chooses those with the most open files when they are counted first, then those that open more', async () => {
    const all = Array.from({ length: 30 }, (_, i) => process(i + 1));
    await settle(all);
    const choose = async (files: (pid: number) => number): Promise<readonly number[]> => {
      await busiest.look(all);
      return busiest.choose(new Map(all.map(({ pid }) => [pid, { io: undefined, files: files(pid) }])));
    };
    const most = Array.from({ length: 10 }, (_, i) => 21 + i);
    expect(await choose((pid) => pid)).toEqual(most);
    expect(await choose((pid) => (pid === 17 ? 400 : pid))).toEqual([17, ...most]);
    expect(await choose((pid) => (pid === 17 ? 700 : pid))).toEqual([17]);
  });

  it('tells a process from another one that had its pid, however much that one did', async () => {
    await settle([process(7, { cpuMs: 90_000 })], new Map([[7, 1e9]]));
    const reused = process(7, { startMs: 5000, cpuMs: 10 });
    expect(await busiest.look([reused])).toEqual([7]);
    expect(await busiest.choose(ofIo(new Map([[7, 100]])))).toEqual([7]);
    expect(await chosen([reused])).toEqual([7]);
    expect(await chosen([reused])).toEqual([]);
  });

  it('does not keep a process for another one that has its pid now', async () => {
    await settle([process(7)]);
    expect(await chosen([process(7, { cpuMs: 10 })])).toEqual([7]);
    // Once, as it is new.
    expect(await chosen([process(7, { startMs: 5000 })])).toEqual([7]);
    expect(await chosen([process(7, { startMs: 5000 })])).toEqual([]);
  });

  it('chooses those that began since the last sample, once, and no more than 64 of them', async () => {
    await settle([process(7)]);
    const many = Array.from({ length: 70 }, (_, i) => process(100 + i, { startMs: 5000 }));
    expect(await chosen([process(7), ...many])).toHaveLength(64);
    expect(await chosen([process(7), ...many])).toEqual([]);
  });

  it('keeps those of the last choice for one more sample, if they are still there', async () => {
    await settle([process(7), process(8)]);
    const worked = [process(7, { cpuMs: 10 }), process(8, { cpuMs: 10 })];
    expect(await chosen(worked)).toEqual([7, 8]);
    expect(await chosen([worked[0]!])).toEqual([7]);
    expect(await chosen([worked[0]!])).toEqual([]);
  });

  it('charges a parent with children that ended, without what they did while they were seen', async () => {
    const shell = process(5, { childrenMs: 100 });
    await settle([shell, process(6, { parent: 5, cpuMs: 4000 })]);
    // It had 4000 ms at the last sample, and has ended with them.
    expect(await chosen([{ ...shell, childrenMs: 4100 }])).toEqual([]);
    // These were never seen.
    expect(await chosen([{ ...shell, childrenMs: 4600 }])).toEqual([5]);
  });

  it('asks for the I/O of those that worked', async () => {
    await settle([process(1), process(2), process(3)]);
    expect(await busiest.look([process(1), process(2, { cpuMs: 10 }), process(3, { faults: 2 })])).toEqual([2, 3]);
  });

  it('does not take what a process read before it was asked first for its I/O of now', async () => {
    await settle([process(1)]);
    await busiest.look([process(1, { faults: 1 })]);
    expect(await busiest.choose(ofIo(new Map([[1, 1e12]])))).toEqual([]);
    await busiest.look([process(1, { faults: 2 })]);
    expect(await busiest.choose(ofIo(new Map([[1, 1e12 + 1]])))).toEqual([1]);
  });

  it('goes on after numbers that are missing or go backwards', async () => {
    await settle([process(1, { cpuMs: 100 })]);
    const odd = [process(1, { cpuMs: NaN, childrenMs: NaN, memory: NaN, faults: NaN }), process(2, { cpuMs: NaN })];
    expect(await chosen(odd)).toEqual([]);
    await settle([process(1, { cpuMs: 100 })]);
    expect(await chosen([process(1, { cpuMs: 50 })])).toEqual([]);
    expect(await chosen([])).toEqual([]);
  });

  it('lets others run between slices of 20,000 processes', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => process(i + 1, { cpuMs: i, memory: i }));
    let turns = 0;
    let isOver = false;
    const beat = (): void => {
      turns++;
      if (!isOver) setImmediate(beat);
    };
    setImmediate(beat);
    await chosen(many);
    const next = many.map((one) => ({ ...one, cpuMs: one.cpuMs + (one.pid % 97) }));
    turns = 0;
    expect((await chosen(next)).length).toBeLessThanOrEqual(40);
    isOver = true;
    expect(turns).toBeGreaterThan(3);
  });
});
