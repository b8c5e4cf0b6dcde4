import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../support/free-port.js';
import { PATIENT } from '../../support/patience.js';
import { Cable, type Replaced } from './cable.js';
import type { PmcdCounts } from './pmcd-process.js';

/** The server, by either of its names; undefined where neither is installed. */
export const SERVER = ['valkey-server', 'redis-server'].find((name) => spawnSync(name, ['--version']).status === 0);
/** The gateway as it was built here. */
export const THIS_BUILD = path.resolve('dist/pmgate.js');

/** A process that can be killed, stopped, and started again as it was. */
export class Part {
  #process: ChildProcess | undefined;
  #command: readonly string[];
  readonly #environment: NodeJS.ProcessEnv;

  constructor(command: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    this.#command = command;
    this.#environment = environment;
    this.start();
  }

  get pid(): number {
    return this.#process!.pid!;
  }

  start(command = this.#command): void {
    this.#command = command;
    const [name = '', ...parameters] = command;
    this.#process = spawn(name, parameters, { stdio: 'ignore', env: { ...process.env, ...this.#environment } });
  }

  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal);
  }

  /** Ends it as `systemctl stop` does. */
  async end(): Promise<void> {
    const one = this.#process!;
    if (one.exitCode !== null || one.signalCode !== null) return;
    one.kill('SIGTERM');
    await once(one, 'exit');
  }
}

/** A gateway of the fleet. */
export interface Gateway {
  readonly part: Part;
  readonly port: number;
}

interface Node {
  readonly part: Part;
  readonly port: number;
  readonly cable: Cable;
}

interface Cables {
  /** To each server, in their order. */
  readonly nodes: readonly Cable[];
  readonly sentinels: readonly Cable[];
  /** To each gateway, in their order; to itself is one, too. */
  readonly links: readonly Cable[];
}

/** How a fleet is made. */
export interface RealFleetOptions {
  readonly gateways: number;
  readonly pmcds: number;
  readonly program: string;
  /** Whether nothing is to be cut: cables cost time. */
  readonly isBare?: boolean;
  /** Further settings of the gateways. */
  readonly environment?: NodeJS.ProcessEnv;
}

interface Readyz {
  readonly cluster?: { readonly state: string; readonly members: number };
}

/** Gateways, a server with two replicas, three Sentinels, and fake pmcds: each a process, and each pair joined by a cable that can be cut. */
export class RealFleet {
  readonly gateways: Gateway[] = [];
  readonly hosts: string[] = [];
  readonly #directory = mkdtempSync(path.join(os.tmpdir(), 'pmgate-fleet-'));
  readonly #nodes: Node[] = [];
  readonly #sentinels: { readonly part: Part; readonly port: number }[] = [];
  readonly #cables: Cables[] = [];
  readonly #lone: Part[] = [];
  readonly #isBare: boolean;
  readonly #environment: NodeJS.ProcessEnv;
  #pmcds: ChildProcess | undefined;

  private constructor(isBare: boolean, environment: NodeJS.ProcessEnv) {
    this.#isBare = isBare;
    this.#environment = environment;
    process.once('exit', () => this.#kill());
  }

  /** Resolves when all gateways are members. Throws without a server program. */
  static async start(options: RealFleetOptions): Promise<RealFleet> {
    const { gateways, pmcds, program, isBare = false, environment = {} } = options;
    if (SERVER === undefined) throw new Error('neither valkey-server nor redis-server is installed');
    const fleet = new RealFleet(isBare, environment);
    await fleet.#startEngine();
    await fleet.#startPmcds(pmcds);
    const links: number[] = [];
    for (let i = 0; i < gateways; i++) links.push(await freePort());
    for (let i = 0; i < gateways; i++) await fleet.#startGateway(program, i, links);
    await fleet.settled();
    return fleet;
  }

  close(): void {
    this.#kill();
    for (const { nodes, sentinels, links } of this.#cables)
      for (const cable of [...nodes, ...sentinels, ...links]) cable.close();
    for (const { cable } of this.#nodes) cable.close();
  }

  /** Which server the first Sentinel that answers takes for the primary. */
  primary(): number {
    for (const { port } of this.#sentinels) {
      const parameters = ['-p', String(port), 'sentinel', 'get-master-addr-by-name', 'pmgate'];
      const cli = SERVER!.replace('-server', '-cli');
      const { stdout } = spawnSync(cli, parameters, { encoding: 'utf8', timeout: 1000 });
      const found = this.#nodes.findIndex(({ cable }) => cable.port === Number(stdout.split('\n')[1]));
      if (found >= 0) return found;
    }
    throw new Error('no Sentinel knows the primary');
  }

  portOf(node: number): number {
    return this.#nodes[node]!.port;
  }

  node(place: number): Part {
    return this.#nodes[place]!.part;
  }

  sentinel(place: number): Part {
    return this.#sentinels[place]!.part;
  }

  cutFromEngine(gateway: number, isCut: boolean): void {
    const { nodes, sentinels } = this.#cables[gateway]!;
    for (const cable of [...nodes, ...sentinels]) cable.isCut = isCut;
  }

  cutLinks(gateway: number, isCut: boolean): void {
    for (const cable of this.#cables[gateway]!.links) cable.isCut = isCut;
    for (const { links } of this.#cables) links[gateway]!.isCut = isCut;
  }

  cutNode(node: number, isCut: boolean): void {
    this.#nodes[node]!.cable.isCut = isCut;
  }

  cutNodeFromAll(node: number, isCut: boolean): void {
    this.cutNode(node, isCut);
    for (const { nodes } of this.#cables) nodes[node]!.isCut = isCut;
  }

  /** Waits until all gateways are members; answers how long that took, in milliseconds. */
  async settled(): Promise<number> {
    const beginMs = performance.now();
    const all = `member of ${this.gateways.length}`;
    while (!(await this.states()).every((state) => state === all)) await pause(50);
    return performance.now() - beginMs;
  }

  /** What each gateway says of its part in the fleet: `member of 3`, for example. */
  states(): Promise<readonly string[]> {
    return Promise.all(
      this.gateways.map(async ({ port }) => {
        const signal = AbortSignal.timeout(2000);
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal }).catch(() => undefined);
        const { cluster } = ((await answer?.json().catch(() => undefined)) ?? {}) as Readyz;
        return cluster ? `${cluster.state} of ${cluster.members}` : 'silent';
      }),
    );
  }

  /** Starts a gateway that belongs to no fleet. */
  async addLoneGateway(): Promise<Gateway> {
    const port = await freePort();
    const part = new Part([process.execPath, THIS_BUILD], {
      PMGATE_LISTEN_PORT: String(port),
      PMGATE_STATE_DIRECTORY: path.join(this.#directory, `state-lone-${this.#lone.length}`),
      PMGATE_LOCAL_SOURCE: 'embedded',
      PMGATE_HOSTS_ALLOW: this.hosts.join(','),
      PMGATE_LOG_LEVEL: 'error',
      ...PATIENT,
    });
    this.#lone.push(part);
    const answers = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        () => true,
        () => false,
      );
    while (!(await answers())) await pause(50);
    return { part, port };
  }

  /** What each fake pmcd has seen so far. */
  async pmcdCounts(): Promise<readonly PmcdCounts[]> {
    const answered = once(this.#pmcds!, 'message');
    this.#pmcds!.send('count');
    const [counts] = (await answered) as [readonly PmcdCounts[]];
    return counts;
  }

  async #lay(to: number, replaced?: Replaced): Promise<Cable> {
    return this.#isBare ? Cable.none(to) : Cable.lay(to, replaced);
  }

  async #startEngine(): Promise<void> {
    for (let i = 0; i < 3; i++) {
      const port = await freePort();
      const cable = await this.#lay(port);
      const [primary] = this.#nodes;
      const parameters: readonly (readonly [string, ...string[]])[] = [
        ['port', String(port)],
        ['bind', '127.0.0.1'],
        ['save', ''],
        ['dir', this.#directory],
        ['repl-diskless-sync-delay', '0'],
        ['replica-announce-ip', '127.0.0.1'],
        ['replica-announce-port', String(cable.port)],
        ...(primary ? [['replicaof', '127.0.0.1', String(primary.cable.port)] as const] : []),
      ];
      const command = [SERVER!, ...parameters.flatMap(([name, ...values]) => [`--${name}`, ...values])];
      this.#nodes.push({ port, cable, part: new Part(command) });
    }
    // Sentinels learn of the replicas from the primary.
    await pause(1500);
    for (let i = 0; i < 3; i++) {
      const port = await freePort();
      const file = path.join(this.#directory, `sentinel-${i}.conf`);
      const lines = [
        `port ${port}`,
        'bind 127.0.0.1',
        `sentinel monitor pmgate 127.0.0.1 ${this.#nodes[0]!.cable.port} 2`,
        'sentinel down-after-milliseconds pmgate 1000',
        'sentinel failover-timeout pmgate 5000',
      ];
      writeFileSync(file, `${lines.join('\n')}\n`);
      this.#sentinels.push({ port, part: new Part([SERVER!, file, '--sentinel']) });
    }
  }

  async #startPmcds(count: number): Promise<void> {
    const file = fileURLToPath(new URL('pmcd-process.ts', import.meta.url));
    this.#pmcds = fork(file, [String(count)], { execArgv: ['--import', 'tsx'] });
    const [ports] = (await once(this.#pmcds, 'message')) as [readonly number[]];
    this.hosts.push(...ports.map((port) => `127.0.0.1:${port}`));
  }

  /**
   * Starts a gateway that finds everything by cables of its own: what Sentinels and leases tell it about addresses is replaced on the way.
   */
  async #startGateway(program: string, place: number, links: readonly number[]): Promise<void> {
    const linkCables = await Promise.all(links.map((port) => this.#lay(port)));
    const inLeases = new Map(links.map((port, i) => [`"port":${port}`, `"port":${linkCables[i]!.port}`]));
    const nodes = await Promise.all(this.#nodes.map(({ port }) => this.#lay(port, inLeases)));
    const told = new Map<string, string>();
    const sentinels = await Promise.all(this.#sentinels.map(({ port }) => this.#lay(port, told)));
    const tell = (real: number, port: number): void => {
      told.set(`\n${real}\r`, `\n${port}\r`);
    };
    for (const [i, { cable }] of this.#nodes.entries()) tell(cable.port, nodes[i]!.port);
    for (const [i, { port }] of this.#sentinels.entries()) tell(port, sentinels[i]!.port);
    this.#cables.push({ nodes, sentinels, links: linkCables });
    const secretFile = path.join(this.#directory, 'secret');
    writeFileSync(secretFile, 'the secret of a fleet that is tested');
    const port = await freePort();
    const part = new Part([process.execPath, program], {
      PMGATE_LISTEN_PORT: String(port),
      PMGATE_STATE_DIRECTORY: path.join(this.#directory, `state-${place}`),
      PMGATE_LOCAL_SOURCE: 'embedded',
      PMGATE_HOSTS_ALLOW: this.hosts.join(','),
      PMGATE_CLUSTER_SENTINELS: sentinels.map((cable) => `127.0.0.1:${cable.port}`).join(','),
      PMGATE_CLUSTER_NAME: `gateway-${place}`,
      PMGATE_CLUSTER_LINK_PORT: String(links[place]),
      PMGATE_CLUSTER_LINK_SECRET_FILE: secretFile,
      PMGATE_LOG_LEVEL: 'error',
      ...PATIENT,
      ...this.#environment,
    });
    this.gateways.push({ part, port });
  }

  #kill(): void {
    const parts = [...this.gateways, ...this.#nodes, ...this.#sentinels].map(({ part }) => part);
    for (const part of [...parts, ...this.#lone]) part.signal('SIGKILL');
    this.#pmcds?.kill('SIGKILL');
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
