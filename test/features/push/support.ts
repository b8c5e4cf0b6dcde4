import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { PushReceiver, type PushLimits } from '../../../src/features/push/push-receiver.js';
import { FakeClock } from '../../support/fake-clock.js';
import { ManualTimers } from '../../support/manual-timers.js';

const FIXTURES = path.resolve('test/fixtures/archives');
const LABEL_BYTES = [132, 808];

/** The files of a recorded archive: its label, and what is behind it in each file. */
export interface RecordedFiles {
  readonly label: Buffer;
  readonly parts: ReadonlyMap<'meta' | 'index' | number, Buffer>;
  readonly whole: ReadonlyMap<string, Buffer>;
}

/** An archive of the fixtures. */
export function recordedFiles(name: string): RecordedFiles {
  const parts = new Map<'meta' | 'index' | number, Buffer>();
  const whole = new Map<string, Buffer>();
  let label = Buffer.alloc(0);
  for (const file of readdirSync(FIXTURES)) {
    const suffix = file.slice(name.length + 1);
    if (!file.startsWith(`${name}.`) || !/^(?:meta|index|\d+)$/.test(suffix)) continue;
    const bytes = readFileSync(path.join(FIXTURES, file));
    const length = bytes.readUInt32BE(0);
    if (!LABEL_BYTES.includes(length)) throw new Error(`${file} has no label`);
    if (suffix === '0') label = bytes.subarray(0, length);
    parts.set(suffix === 'meta' || suffix === 'index' ? suffix : Number(suffix), bytes.subarray(length));
    whole.set(suffix, bytes);
  }
  return { label, parts, whole };
}

/** Bytes in pieces of a size. */
export function piecesOf(bytes: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

const LIMITS: PushLimits = {
  keepDays: 14,
  keepBytes: 1024 * 1024 * 1024,
  clientBytes: 256 * 1024 * 1024,
  clientArchives: 200,
  bytesPerSec: 1e9,
};

/** A receiver over a directory, with a clock that the test moves; it can be replaced by another process's. */
export class PushBench {
  readonly clock = new FakeClock(Date.UTC(2026, 10, 22, 10));
  readonly timers = new ManualTimers();
  readonly complaints: string[] = [];
  receiver: PushReceiver;
  readonly #root: string;
  readonly #limits: PushLimits;

  constructor(root: string, limits: Partial<PushLimits> = {}) {
    this.#root = root;
    this.#limits = { ...LIMITS, ...limits };
    this.receiver = this.#make();
  }

  get directory(): string {
    return path.join(this.#root, 'pushed');
  }

  /** Go on as after `kill -9`: what is in memory is lost. */
  async restart(): Promise<void> {
    this.receiver = this.#make();
    await this.receiver.start();
  }

  async pass(seconds: number): Promise<void> {
    this.clock.advance(seconds * 1000);
    await this.receiver.sweep();
  }

  files(): ReadonlyMap<string, Buffer> {
    const names = readdirSync(this.directory, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    return new Map(
      names.map(({ parentPath, name }) => {
        const file = path.join(parentPath, name);
        return [path.relative(this.directory, file), readFileSync(file)];
      }),
    );
  }

  filesOf(base: string): ReadonlyMap<string, Buffer> {
    const own = [...this.files()].filter(([name]) => name.startsWith(`${base}.`));
    return new Map(own.map(([name, bytes]) => [name.slice(base.length + 1), bytes]));
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  #make(): PushReceiver {
    return new PushReceiver({
      directory: this.directory,
      stateFile: path.join(this.#root, 'push.json'),
      limits: this.#limits,
      clock: this.clock,
      timers: this.timers,
      warn: (message, { reason }) => this.complaints.push(`${message}: ${String(reason)}`),
    });
  }
}
