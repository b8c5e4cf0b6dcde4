import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram, NoPcpError, PCP_ENVIRONMENT, pcpVersion, pminfo } from './pcp-tools.js';

const METRICS = ['kernel.all.load', 'mem.util.free', 'disk.dev.read'];
/** Four at once crash the pmproxy of PCP 6.0.3; three do at times. */
const CONNECTIONS = [1, 2, 3];
const ROUNDS = 3;
/** How often a server that ended is started again before that is an error. */
const MOST_CRASHES = 10;
const LOOKS = 400;
const LOOK_EVERY_MS = 50;

/** What one server did with so many connections, the middle one of the rounds. */
interface Figure {
  readonly requestsPerSec: number;
  /** The 99th percentile of the times to an answer. */
  readonly p99Ms: number;
}

/**
 * Fetches of three metrics of a pmcd, through pmgate and through pmproxy, each in a process of its own, in turns. Throws a NoPcpError.
 * @param program the words that start pmgate
 * @param seconds how long each turn takes
 */
export async function benchAgainstPmproxy(
  hostspec: string,
  program: readonly string[],
  seconds: number,
  signal: AbortSignal,
) {
  const pcp = await pcpVersion();
  await pminfo(hostspec, METRICS, signal);
  const directory = mkdtempSync(path.join(os.tmpdir(), 'pmgate-bench-'));
  const started: ChildProcess[] = [];
  /** Starts a server, and returns it with the URL to fetch from, of a context. */
  const start = async ([command = '', ...args]: readonly string[], env: NodeJS.ProcessEnv) => {
    const port = await freePort();
    const child = spawn(command, [...args, '-p', String(port)], { cwd: directory, env, stdio: 'ignore' });
    started.push(child);
    return { child, target: await readyTarget(child, `http://127.0.0.1:${port}/pmapi`, hostspec, signal) };
  };
  /** A server that is measured. One that ends meanwhile is started again, and its turn taken again. */
  const measured = async (words: readonly string[], env: NodeJS.ProcessEnv) => {
    let server = await start(words, env);
    let crashes = 0;
    const turn = async (connections: number): Promise<Figure> => {
      try {
        return await load(server.target, connections, seconds, signal);
      } catch (error) {
        // A connection is seen to close before the process is seen to end.
        if (!isEnded(server.child)) await Promise.race([once(server.child, 'exit'), pause(LOOK_EVERY_MS)]);
        if (signal.aborted || !isEnded(server.child) || crashes === MOST_CRASHES) throw error;
        crashes++;
        server = await start(words, env);
        return turn(connections);
      }
    };
    return { turn, crashes: () => crashes };
  };
  try {
    const files = ['-s', path.join(directory, 'socket'), '-l', path.join(directory, 'log')];
    const { username } = os.userInfo();
    const words = [findProgram('pmproxy'), '-f', '-A', '-i', '127.0.0.1', '-U', username, ...files];
    const servers = [
      await measured([...program, 'serve', '--log-level', 'error'], environmentOf(hostspec, directory)),
      await measured(words, { ...PCP_ENVIRONMENT, PCP_RUN_DIR: directory, PCP_TMP_DIR: directory }),
    ];
    // The functions that are called often are compiled by then.
    for (const { turn } of servers) await turn(1);
    const rows = [];
    for (const connections of CONNECTIONS) {
      const found: Figure[][] = [[], []];
      for (let round = 0; round < ROUNDS; round++)
        for (const [i, { turn }] of servers.entries()) found[i]!.push(await turn(connections));
      const [ours, theirs] = found.map(middle) as [Figure, Figure];
      rows.push({ connections, pmgate: ours, pmproxy: theirs, ratio: ours.requestsPerSec / theirs.requestsPerSec });
    }
    const processors = `${os.cpus().length} × ${os.cpus()[0]?.model ?? 'unknown'}`;
    const [pmgate, pmproxy] = servers.map(({ crashes }) => crashes()) as [number, number];
    return { pcp, node: process.version, processors, metrics: METRICS, rows, crashes: { pmgate, pmproxy } };
  } finally {
    for (const child of started) child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}

function isEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function environmentOf(hostspec: string, directory: string): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('PMGATE_'));
  return {
    ...Object.fromEntries(others),
    PMGATE_HOSTS_ALLOW: hostspec,
    PMGATE_RECORD_ENABLED: 'false',
    PMGATE_CONTEXTS_REMEMBER: '',
    PMGATE_STATE_DIRECTORY: directory,
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function readyTarget(child: ChildProcess, base: string, hostspec: string, signal: AbortSignal): Promise<URL> {
  for (let look = 0; look < LOOKS && !isEnded(child); look++) {
    const answer = await fetch(`${base}/context?hostspec=${hostspec}&polltimeout=600`, { signal }).catch(
      () => undefined,
    );
    if (answer?.ok) {
      const { context } = (await answer.json()) as { context: number };
      return new URL(`${base}/fetch?context=${context}&names=${METRICS.join(',')}`);
    }
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
  throw new NoPcpError(`${child.spawnfile} did not start, or does not reach the pmcd at ${hostspec}`);
}

/** As many requests as some connections can send, each after the answer to the one before. */
async function load(target: URL, connections: number, seconds: number, signal: AbortSignal): Promise<Figure> {
  const tookMs: number[] = [];
  const untilMs = performance.now() + seconds * 1000;
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const client = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      const sentMs = performance.now();
      const [answer] = (await once(http.get(target, { agent, signal }), 'response')) as [http.IncomingMessage];
      await once(answer.resume(), 'end');
      if (answer.statusCode !== 200) throw new NoPcpError(`status ${answer.statusCode} of ${target.href}`);
      tookMs.push(performance.now() - sentMs);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, client));
  } catch (error) {
    if (signal.aborted) throw error;
    throw new NoPcpError(`with ${connections} connections ${target.origin} failed: ${(error as Error).message}`);
  }
  agent.destroy();
  tookMs.sort((a, b) => a - b);
  return { requestsPerSec: tookMs.length / seconds, p99Ms: tookMs[Math.floor(tookMs.length * 0.99)]! };
}

function middle(figures: Figure[]): Figure {
  return figures.sort((a, b) => a.requestsPerSec - b.requestsPerSec)[Math.floor(figures.length / 2)]!;
}
