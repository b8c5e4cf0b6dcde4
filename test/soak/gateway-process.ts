import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type WriteStream, createWriteStream, readFileSync, readdirSync } from 'node:fs';

/** What the probe in the gateway tells. Bytes and milliseconds; delays are those since the last time that it was asked. */
export interface Inside {
  readonly heapUsed: number;
  readonly external: number;
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
}

/** What the kernel tells of the gateway. @see proc(5) */
export interface Outside {
  readonly rssBytes: number;
  readonly descriptors: number;
  readonly cpuMs: number;
}

/** A line of the log that should not be there. */
export interface LogFault {
  readonly message: string;
  readonly line: string;
}

const START_TIMEOUT_MS = 20_000;
const TICK_MS = 10;
const ERROR_LEVEL = 50;
const FAULTS_KEPT = 20;

/** The built gateway in a process of its own, with the probe, and its log in a file. */
export class GatewayProcess {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #log: LogWatch;

  private constructor(child: ChildProcess, port: number, log: LogWatch) {
    this.port = port;
    this.#child = child;
    this.#log = log;
    this.#exited = once(child, 'exit');
  }

  static async start(
    configFile: string,
    logFile: string,
    env: Readonly<Record<string, string>>,
  ): Promise<GatewayProcess> {
    const args = ['--expose-gc', '--import', './test/soak/probe.js', 'dist/pmgate.js', '--config', configFile];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, ...env },
    });
    const log = new LogWatch(createWriteStream(logFile));
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => log.take(chunk));
    const port = await new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the gateway does not start')), START_TIMEOUT_MS);
      log.onListening = (found) => {
        clearTimeout(timer);
        resolve(found);
      };
      child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}: see ${logFile}`)));
    });
    return new GatewayProcess(child, port, log);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Bytes of the log, without the lines that tell of changes. */
  get logBytes(): number {
    return this.#log.bytes;
  }

  /** Lines of the log that tell of changes: one for each, as many as clients make. */
  get auditLines(): { readonly count: number; readonly longestBytes: number } {
    return this.#log.audit;
  }

  /** Lines that tell of defects: unhandled rejections and the like. */
  get faults(): readonly LogFault[] {
    return this.#log.faults;
  }

  get errors(): ReadonlyMap<string, number> {
    return this.#log.errors;
  }

  inside(collect: boolean): Promise<Inside> {
    return new Promise((resolve, reject) => {
      this.#child.once('message', (message) => resolve(message as Inside));
      this.#child.send({ collect }, (error) => {
        if (error) reject(error);
      });
    });
  }

  outside(): Outside {
    const of = (file: string): string => readFileSync(`/proc/${this.#child.pid}/${file}`, 'latin1');
    const fields = of('stat').split(') ')[1]!.split(' ');
    return {
      rssBytes: Number(/VmRSS:\s+(\d+)/.exec(of('status'))?.[1]) * 1024,
      descriptors: readdirSync(`/proc/${this.#child.pid}/fd`).length,
      cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    };
  }

  reload(): void {
    this.#child.kill('SIGHUP');
  }

  async stop(timeoutMs: number): Promise<number | undefined> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), timeoutMs);
    if (this.isRunning) {
      this.#child.kill('SIGTERM');
      await this.#exited;
    }
    clearTimeout(timer);
    return this.#child.exitCode ?? undefined;
  }
}

/** Counts the bytes of a log, and looks for what should not be in it. */
class LogWatch {
  readonly #file: WriteStream;
  #partial = '';
  bytes = 0;
  readonly audit = { count: 0, longestBytes: 0 };
  readonly faults: LogFault[] = [];
  readonly errors = new Map<string, number>();
  onListening: ((port: number) => void) | undefined;

  constructor(file: WriteStream) {
    this.#file = file;
  }

  take(chunk: string): void {
    this.#file.write(chunk);
    const lines = (this.#partial + chunk).split('\n');
    this.#partial = lines.pop()!;
    for (const line of lines) this.#look(line);
  }

  #look(line: string): void {
    const { level = ERROR_LEVEL, msg = line } = parseLine(line);
    const lineBytes = Buffer.byteLength(line) + 1;
    if (msg === 'audit') {
      this.audit.count++;
      this.audit.longestBytes = Math.max(this.audit.longestBytes, lineBytes);
      return;
    }
    this.bytes += lineBytes;
    const [, port] = /listens on http:\/\/[^\s"]*:(\d+)/.exec(msg) ?? [];
    if (port !== undefined) this.onListening?.(Number(port));
    if (level >= ERROR_LEVEL) this.errors.set(msg, (this.errors.get(msg) ?? 0) + 1);
    // A defect is answered 500 and told with its stack; what is no line of the log comes from Node itself.
    const isFault = /unhandled|uncaught|defect|MaxListenersExceeded|Warning:/.test(line) || !line.startsWith('{');
    if (isFault && this.faults.length < FAULTS_KEPT) this.faults.push({ message: msg, line });
  }
}

function parseLine(line: string): { readonly level?: number; readonly msg?: string } {
  try {
    return JSON.parse(line) as { level?: number; msg?: string };
  } catch {
    return {};
  }
}
