import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import { getPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { FetchResult, MetricType, parseIndom, Semantics, systemClock } from '../../src/pmapi/index.js';
import type { MetricDescriptor, ValueSet } from '../../src/pmapi/index.js';
import { InstanceProfile } from '../../src/sources/index.js';
import { LinuxCollector, type LinuxSource } from '../../src/sources/linux/index.js';
import { area } from './support/conformance.js';
import { reasonFor } from './support/linux-differences.js';
import { PcpProbe, type ProbedValues } from './support/pcp-probe.js';
import { type RunningPmcd, describeWithPcp, startPmcd } from './support/pmcd.js';
import { until } from '../support/until.js';

const PROCESS_INDOM = parseIndom('3.9')!;
const ODD_NAME = 'a) R 7 (b';
const FOREVER_S = '1000';
/** What moves has to agree in one of so many rounds, what stands still in all but one. More rounds follow while something has not agreed. */
const ROUNDS = 10;
const STRAY_ROUNDS = 1;
const MOST_ROUNDS = 500;

/** Metrics that say what the process does at the moment of looking; the rest of a sleeping process stands still. */
const RESTLESS = /^proc\.(?:psinfo\.(?:wchan_s|processor)|memory\.vmrss) /;

/** One reading of these is shared for a second. */
const TCPCONN = /^network\.tcpconn\./;

/** Processes of all kinds, which sleep while they are compared. */
class Menagerie {
  readonly #dir = mkdtempSync(path.join(tmpdir(), 'pmgate-proc-'));
  readonly #children: ChildProcess[] = [];
  readonly pids = new Map<string, number>();

  async start(): Promise<void> {
    const odd = path.join(this.#dir, ODD_NAME);
    copyFileSync('/bin/sleep', odd);
    await this.#spawn('odd name', odd, [FOREVER_S]);
    await this.#spawn('niced', 'nice', ['-n', '7', 'sleep', FOREVER_S]);
    await this.#spawn('real-time', 'chrt', ['-r', '50', 'sleep', FOREVER_S]);
    await this.#spawn('batch', 'chrt', ['-b', '0', 'sleep', FOREVER_S]);
    await this.#spawn('other user', 'setpriv', [
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      'sleep',
      FOREVER_S,
    ]);
    await this.#spawn('unknown user', 'setpriv', [
      '--reuid=54321',
      '--regid=777',
      '--clear-groups',
      'sleep',
      FOREVER_S,
    ]);
    await this.#spawn('other first argument', 'sleep', [FOREVER_S], { argv0: '-two words' });
    await this.#spawn('long command line', 'sleep', [FOREVER_S, ...Array<string>(3000).fill('0')]);
    const stopped = await this.#spawn('stopped', 'sleep', [FOREVER_S]);
    process.kill(stopped, 'SIGSTOP');
    await until(() => stateOf(stopped) === 'T');
    await this.#spawn('parent of a zombie', 'sh', ['-c', `sleep 0 & exec sleep ${FOREVER_S}`]);
    const zombie = await this.#childOf('parent of a zombie', 'Z');
    this.pids.set('zombie', zombie);
    await this.#spawn('terminal', 'script', ['-qc', `exec sleep ${FOREVER_S}`, '/dev/null'], { comm: 'script' });
    this.pids.set('on a terminal', await this.#childOf('terminal', 'S'));
  }

  stop(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.#dir, { recursive: true });
  }

  /** Start a command and wait until it runs as `sleep` (or as `comm`), and is asleep. */
  async #spawn(
    kind: string,
    command: string,
    args: readonly string[],
    { comm, argv0 }: { readonly comm?: string; readonly argv0?: string } = {},
  ): Promise<number> {
    const child = spawn(command, args, { stdio: 'ignore', argv0 });
    this.#children.push(child);
    const pid = child.pid!;
    const final = comm ?? (path.dirname(command) === this.#dir ? ODD_NAME : 'sleep');
    await until(() => stateOf(pid) === 'S' && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === final);
    this.pids.set(kind, pid);
    return pid;
  }

  async #childOf(kind: string, state: string): Promise<number> {
    const parent = this.pids.get(kind)!;
    const list = `/proc/${parent}/task/${parent}/children`;
    const children = (): string[] => readFileSync(list, 'utf8').trim().split(' ').filter(Boolean);
    await until(() => {
      const [child] = children();
      return child !== undefined && stateOf(Number(child)) === state && commandOf(child) === 'sleep';
    });
    return Number(children()[0]);
  }
}

function stateOf(pid: number): string | undefined {
  try {
    return /\) (\S)[^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

/** A defunct process has no arguments either, and is called by its command, too. */
function isKernelThread(pid: number): boolean {
  try {
    return /\) \S 2 [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function commandOf(pid: string): string {
  return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
}

describeWithPcp('processes and the network beside pmcd', () => {
  const menagerie = new Menagerie();
  let pmcd: RunningPmcd;
  let probe: PcpProbe;
  let collector: LinuxCollector;
  let source: LinuxSource;

  beforeAll(async () => {
    await menagerie.start();
    pmcd = await startPmcd();
    probe = new PcpProbe(`unix://${pmcd.socket}`);
    collector = new LinuxCollector({ clock: systemClock, snapshotMs: 0 });
    source = collector.open();
  });

  afterAll(async () => {
    menagerie.stop();
    probe.close();
    await collector.close();
    await pmcd.stop();
  });

  async function fetch(names: readonly string[], profile = new InstanceProfile()): Promise<FetchResult> {
    const result = new FetchResult();
    await source.fetch(source.prepare(await source.lookupNames(names)), profile, result);
    return result;
  }

  it('has the same values for processes of every kind', async () => {
    const names = (await source.traverse('proc')).filter((name) => !/^proc\.(?:runq|nprocs)/.test(name));
    const compared = names.filter((name) => reasonFor(name, 'value') === undefined);
    const agreed = new Set<string>();
    const strays = new Map<string, readonly string[]>();
    let total = 0;
    const isOpen = (): boolean => [...strays.keys()].some((key) => !agreed.has(key));
    for (let round = 0; round < ROUNDS || (round < 3 * ROUNDS && isOpen()); round++) {
      const before = await fetch(compared);
      const theirs = await probe.fetch(compared);
      const after = await fetch(compared);
      total = 0;
      for (const [i, name] of compared.entries()) {
        for (const [kind, pid] of menagerie.pids) {
          const key = `${name} of ${kind}`;
          const [left, middle, right] = [
            valueOf(before.sets[i]!, pid),
            (theirs[name] as Readonly<Record<string, string | null>>)[pid],
            valueOf(after.sets[i]!, pid),
          ];
          total++;
          if (left === middle || right === middle) {
            agreed.add(key);
            continue;
          }
          const detail = `${key}: PCP ${brief(middle)}, pmgate ${brief(left)} ${brief(right)}`;
          strays.set(key, [...(strays.get(key) ?? []), detail]);
        }
      }
    }
    const left = [...strays].flatMap(([key, details]) => {
      const isSound = agreed.has(key) && (RESTLESS.test(key) || details.length <= STRAY_ROUNDS);
      return isSound ? [] : [details.at(-1)!];
    });
    process.stderr.write(`linux interop, processes: ${total - left.length} of ${total}\n`);
    area('Linux collector').equal(total - left.length);
    for (const failure of left) area('Linux collector').wrong(failure);
    expect(left).toEqual([]);
  });

  it('gives right what PCP takes from the wrong field', async () => {
    const result = await fetch([
      'proc.psinfo.priority',
      'proc.psinfo.rt_priority',
      'proc.psinfo.policy',
      'proc.psinfo.nice',
    ]);
    const of = (kind: string): (string | undefined)[] =>
      result.sets.map((set) => valueOf(set, menagerie.pids.get(kind)!));
    // Children are as nice as we are.
    const own = getPriority();
    const nicer = Math.min(own + 7, 19);
    expect(of('odd name')).toEqual([`${20 + own}`, '0', '0', `${own}`]);
    expect(of('niced')).toEqual([`${20 + nicer}`, '0', '0', `${nicer}`]);
    expect(of('real-time')).toEqual(['-51', '50', '2', `${own}`]);
    expect(of('batch')).toEqual([`${20 + own}`, '0', '3', `${own}`]);
    const [gid] = (await fetch(['proc.id.gid'])).sets;
    expect(valueOf(gid!, menagerie.pids.get('unknown user')!)).toBe('777');
  });

  it('has the same instances', async () => {
    const before = new Map((await source.instances(PROCESS_INDOM)).instances.map(({ id, name }) => [id, name]));
    const theirs = (await probe.describe(['proc.psinfo.pid'])).indoms[PROCESS_INDOM]!.instances;
    const after = new Map((await source.instances(PROCESS_INDOM)).instances.map(({ id, name }) => [id, name]));
    // PCP keeps the first name that it saw: kernel workers are renamed with their work, and others start another program.
    const own = new Set(menagerie.pids.values());
    const lasting = theirs.filter(([id]) => {
      const isWorker = /^\d+ \(kworker\//.test(after.get(id) ?? '');
      return own.has(id) || (before.has(id) && after.has(id) && isKernelThread(id) && !isWorker);
    });
    const ours = lasting.map(([id]) => [id, after.get(id)]);
    const agreed = lasting.filter(([id, name]) => after.get(id) === name).length;
    process.stderr.write(`linux interop, names of processes: ${agreed} of ${lasting.length}\n`);
    area('Linux collector').equal(agreed);
    area('Linux collector').wrong('names of processes', lasting.length - agreed);
    expect(ours).toEqual(lasting);
    for (const pid of menagerie.pids.values()) expect(ours.map(([id]) => id)).toContain(pid);
  });

  it('counts processes by state as PCP does, but for kernel threads', async () => {
    const names = ['runnable', 'blocked', 'sleeping', 'stopped', 'defunct', 'unknown'].map(
      (state) => `proc.runq.${state}`,
    );
    const agreed = new Set<string>();
    // PCP counts kernel threads as swapped.
    let countsKernelThreads = false;
    const asked = [...names, 'proc.runq.swapped', 'proc.runq.kernel'];
    for (let round = 0; round < MOST_ROUNDS && (agreed.size < names.length || !countsKernelThreads); round++) {
      const before = await fetch(asked);
      const theirs = await probe.fetch(asked.slice(0, -1));
      const after = await fetch(asked);
      for (const [i, name] of names.entries())
        if (liesBetween(before.sets[i]!, theirs[name]!, after.sets[i]!)) agreed.add(name);
      countsKernelThreads ||= liesBetween(before.sets.at(-1)!, theirs['proc.runq.swapped']!, after.sets.at(-1)!);
      expect(valueOf(after.sets.at(-2)!, -1)).toBe('0');
    }
    expect([...agreed].sort()).toEqual([...names].sort());
    expect(countsKernelThreads).toBe(true);
  });

  it('has network values that lie between two readings, while there is traffic', async () => {
    const names = (await source.traverse('network')).filter(
      (name) => reasonFor(name, 'value') === undefined && !TCPCONN.test(name),
    );
    const descriptors = (await source.describe(await source.lookupNames(names))) as MetricDescriptor[];
    const broken = new Map<string, readonly string[]>();
    const agreed = new Set<string>();
    let moved = 0;
    for (let round = 0; round < ROUNDS || (round < 5 * ROUNDS && agreed.size < names.length); round++) {
      const before = await fetch(names);
      await talk();
      const theirs = await probe.fetch(names);
      await talk();
      const after = await fetch(names);
      for (const [i, name] of names.entries()) {
        const found = theirs[name] as Readonly<Record<string, string | null>>;
        const sets = [before.sets[i]!, after.sets[i]!] as const;
        const trouble = Object.keys(found).flatMap((id) => outside(descriptors[i]!, sets, found[id]!, Number(id)));
        if (Object.keys(found).length !== sets[0].status) trouble.push(`${name}: PCP has other instances`);
        if (trouble.length === 0) agreed.add(name);
        // Interfaces may come and go between the two.
        else if (descriptors[i]!.semantics === Semantics.COUNTER && sets[0].status === sets[1].status)
          broken.set(name, [...(broken.get(name) ?? []), trouble.join('; ')]);
        if (Object.keys(found).some((id) => valueOf(sets[0], Number(id)) !== valueOf(sets[1], Number(id)))) moved++;
      }
    }
    const strayed = [...broken.values()].filter((rounds) => rounds.length > STRAY_ROUNDS);
    const bad = [...strayed.map((rounds) => rounds.at(-1)!), ...names.filter((name) => !agreed.has(name))];
    process.stderr.write(`linux interop, network: ${names.length - bad.length} of ${names.length}\n`);
    area('Linux collector').equal(names.length - bad.length);
    for (const failure of bad) area('Linux collector').wrong(failure);
    expect(bad).toEqual([]);
    expect(moved).toBeGreaterThan(ROUNDS * 5);
  });

  it('counts TCP connections by state as PCP does', async () => {
    const names = (await source.traverse('network.tcpconn')).slice();
    const agreed = new Set<string>();
    for (let round = 0; round < MOST_ROUNDS && agreed.size < names.length; round++) {
      const before = await freshly(names);
      const theirs = await probe.fetch(names);
      const after = await freshly(names);
      for (const [i, name] of names.entries())
        if (liesBetween(before.sets[i]!, theirs[name]!, after.sets[i]!)) agreed.add(name);
    }
    process.stderr.write(`linux interop, TCP connections: ${agreed.size} of ${names.length}\n`);
    area('Linux collector').equal(agreed.size);
    area('Linux collector').wrong('TCP connections by state', names.length - agreed.size);
    expect([...agreed].sort()).toEqual(names.sort());
  });

  /** Fetch with a collector of its own, which shares no reading. */
  async function freshly(names: readonly string[]): Promise<FetchResult> {
    const own = new LinuxCollector({ clock: systemClock });
    const other = own.open();
    const result = new FetchResult();
    await other.fetch(other.prepare(await other.lookupNames(names)), new InstanceProfile(), result);
    await own.close();
    return result;
  }
});

/** Whether a number of PCP lies between two of ours, which were read before and after it. */
function liesBetween(before: ValueSet, theirs: ProbedValues, after: ValueSet): boolean {
  const [left, right] = [Number(valueOf(before, -1)), Number(valueOf(after, -1))];
  const middle = Number(single(theirs));
  return Math.min(left, right) <= middle && middle <= Math.max(left, right);
}

function brief(value: string | null | undefined): string {
  return String(value).slice(0, 100);
}

/** What is wrong with their value of one instance, given ours before and after. */
function outside(
  { type }: MetricDescriptor,
  [before, after]: readonly [ValueSet, ValueSet],
  theirs: string | null,
  id: number,
): string[] {
  const [low, high] = [valueOf(before, id), valueOf(after, id)];
  if (low === theirs || high === theirs) return [];
  const isBetween =
    type !== MetricType.STRING && Number(low) <= Number(theirs) && Number(theirs) <= Number(high) && theirs !== null;
  return isBetween ? [] : [`instance ${id}: PCP ${theirs}, pmgate ${low} and ${high}`];
}

/** A few packets over the loopback interface: UDP to a port that nobody has, a TCP connection there and back. */
async function talk(): Promise<void> {
  const udp = createSocket('udp4');
  await new Promise((resolve) => udp.send(Buffer.alloc(500), 9, '127.0.0.1', resolve));
  udp.close();
  const server = createServer((socket) => socket.end('hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) =>
    connect(port, '127.0.0.1')
      .on('data', () => undefined)
      .on('close', resolve),
  );
  await new Promise((resolve) => server.close(resolve));
}

function single(values: ProbedValues): string | null | undefined {
  return (values as Readonly<Record<string, string | null>>)['-1'];
}

function valueOf(set: ValueSet, id: number): string | undefined {
  const i = set.instances.subarray(0, Math.max(0, set.status)).indexOf(id);
  if (i < 0) return undefined;
  if (set.type === MetricType.STRING) return set.column.texts[i];
  if (set.type === MetricType.I64 || set.type === MetricType.U64) return set.column.integerAt(i).toString();
  return String(set.column.numbers[i]);
}
