import { randomInt } from 'node:crypto';
import { lstat, mkdir, readdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config/index.js';
import { compressFile, StateFile } from '../../kit/node/index.js';
import { repeat, type Timers } from '../../kit/index.js';
import { GatewayError, onPmError, PM_ERR, type Clock } from '../../pmapi/index.js';
import { readReceivedLabel } from '../../sources/archive/writing/index.js';
import type { LabelRecord } from '../../sources/archive/index.js';
import { PushedArchive, type PushedPart } from './pushed-archive.js';
import { RateLimits, UploadPlaces, type Upload } from './rate-limits.js';

/** Limits of pushed archives. */
export type PushLimits = Omit<Config['push'], 'enabled' | 'from'>;

export interface PushReceiverOptions {
  readonly directory: string;
  /** The file with the archives' numbers, owners and labels. */
  readonly stateFile: string;
  readonly limits: PushLimits;
  readonly clock: Pick<Clock, 'now'>;
  readonly timers: Timers;
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

interface SavedArchive {
  /** Host and name: `web1/20261122.12.44`. */
  readonly name: string;
  readonly client: string;
  readonly lastUsedSec: number;
  /** Present as long as the client may continue. */
  readonly open?: { readonly id: number; readonly timeoutSec: number; readonly label: string };
}

interface KeptArchive extends Omit<SavedArchive, 'lastUsedSec' | 'open'> {
  bytes: number;
  lastUsedSec: number;
  open?: NonNullable<SavedArchive['open']> & { readonly archive: PushedArchive };
}

/** As pmproxy, forgets archives after this time without a request. */
const DEFAULT_TIMEOUT_SEC = 600;
const MAX_TIMEOUT_SEC = 86_400;
const DAY_SEC = 86_400;
/** A label's cost in a client's rate: it makes files. */
const LABEL_COST_BYTES = 65_536;
/** The minimum cost of any other request. */
const REQUEST_COST_BYTES = 1024;
const SWEEP_MS = 60_000;
const MAX_ID = 0x7fffffff;
const MAX_SAME_MINUTE = 99;

const HOST_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}$/;
const TIME_ZONE = /^(?!\/)(?!.*\.\.)[A-Za-z0-9/_+\-.:,<>]*$/;
/** The files of an archive, with remains of unfinished work. */
const FILE = /^(\d{8}\.\d{2}\.\d{2}(?:-\d{2})?)\.(?:meta|index|(\d{1,4}))(\.gz)?(?:\.part|\.tmp|\.part\.tmp)?$/;

/**
 * Receives archives from pmlogger and pmlogpush, under numbers that survive a restart. They are readable at once; unused ones are closed
 * and compressed, and removed when too old or too much, oldest first.
 */
export class PushReceiver {
  readonly #options: PushReceiverOptions;
  /** Counts since the start; `delayed` are requests whose clients exceeded their rate. */
  readonly statistics = { requests: 0, bytes: 0, refused: 0, delayed: 0 };
  readonly #state: StateFile;
  readonly #rates: RateLimits;
  readonly #places: UploadPlaces;
  readonly #archives = new Map<string, KeptArchive>();
  readonly #byId = new Map<number, KeptArchive>();
  /** A client's labels that are becoming archives. */
  readonly #opening = new Map<string, number>();
  #loading: Promise<void> | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #stopSweeps: () => void = () => undefined;

  constructor(options: PushReceiverOptions) {
    this.#options = options;
    this.#state = new StateFile(options.stateFile);
    this.#rates = new RateLimits(options.limits.bytesPerSec, options.timers);
    this.#places = new UploadPlaces(options.timers);
  }

  get openCount(): number {
    return this.#byId.size;
  }

  get keptBytes(): number {
    let bytes = 0;
    for (const archive of this.#archives.values()) bytes += archive.bytes;
    return bytes;
  }

  /** Takes up what is on disk, and begins to sweep. Throws system errors. */
  start(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Waits for work in progress, and stops. */
  async close(): Promise<void> {
    this.#stopSweeps();
    await this.#sweeping;
  }

  /**
   * Waits until a client may send a request of this size. Throws, before the body is read, LIMIT_EXCEEDED (no room left), TOO_MANY_REQUESTS
   * (far beyond its rate), UNKNOWN_PUSH, and the signal's reason.
   * @param to the archive; undefined for a label
   */
  async admit(
    client: string,
    bytes: number,
    to: { readonly id: number; readonly part: PushedPart } | undefined,
    signal?: AbortSignal,
  ): Promise<void> {
    this.statistics.requests++;
    await this.start();
    try {
      const open = to && this.#require(client, to.id);
      this.#makeRoom(client, bytes, open?.name);
      const tail = open?.open.archive.tailBytes(to!.part) ?? 0;
      const cost = Math.max(bytes + tail, open ? REQUEST_COST_BYTES : LABEL_COST_BYTES);
      if (await this.#rates.spend(client, cost, signal)) this.statistics.delayed++;
    } catch (error) {
      if (signal?.aborted !== true) this.statistics.refused++;
      throw error;
    }
  }

  /** Waits for a place to read a large body; the result releases it. Throws OVERLOADED after half a minute. */
  turn(client: string, body: Upload, signal: AbortSignal): Promise<() => void> {
    return this.#places.enter(client, body, signal);
  }

  /** Decodes an archive's first label. Throws BAD_PARAMETER for its size or names, BAD_ARCHIVE for invalid ones. */
  readLabel(body: Buffer): LabelRecord {
    if (body.length !== 132 && body.length !== 808) {
      const message = `invalid archive label (${body.length} bytes)`;
      throw new GatewayError('BAD_PARAMETER', message, { expected: 'the 132 or 808 bytes of a label record' });
    }
    let label: LabelRecord;
    try {
      label = readReceivedLabel(body);
    } catch (error) {
      return onPmError(({ message }): never => {
        throw new GatewayError('BAD_ARCHIVE', message, { pmErr: PM_ERR.LABEL });
      })(error);
    }
    if (!HOST_NAME.test(label.hostName)) throw unusable('host name', label.hostName);
    for (const zone of [label.timezone, label.zoneinfo]) if (!TIME_ZONE.test(zone)) throw unusable('time zone', zone);
    return label;
  }

  /** Open an archive; returns its number. Throws what {@link readLabel} throws, DUPLICATE_NAME, and errors of the system. */
  async open(client: string, body: Buffer, timeoutSec = DEFAULT_TIMEOUT_SEC): Promise<number> {
    const { hostName, start } = this.readLabel(body);
    // Others of its labels may have become archives since this one was admitted.
    const own = (this.#opening.get(client) ?? 0) + 1;
    this.#opening.set(client, own);
    try {
      this.#makeRoom(client, body.length, undefined, own - 1);
      return await this.#open(client, body, timeoutSec, hostName, start.sec);
    } finally {
      const left = this.#opening.get(client)! - 1;
      if (left > 0) this.#opening.set(client, left);
      else this.#opening.delete(client);
    }
  }

  async #open(client: string, body: Buffer, timeoutSec: number, hostName: string, startSec: number): Promise<number> {
    const directory = path.join(this.#options.directory, hostName);
    await mkdir(directory, { recursive: true, mode: 0o750 });
    // A link would lead out of the directory.
    if (!(await lstat(directory)).isDirectory()) throw unusable('host name', hostName);
    const name = await this.#freeName(hostName, startSec);
    const id = this.#freeId();
    const pushed = new PushedArchive(path.join(this.#options.directory, name), body);
    const label = body.toString('base64');
    const open = { id, timeoutSec: Math.min(timeoutSec, MAX_TIMEOUT_SEC), label, archive: pushed };
    const archive: KeptArchive = { name, client, bytes: 0, lastUsedSec: this.#nowSec, open };
    this.#archives.set(name, archive);
    this.#byId.set(id, archive);
    await this.#save();
    return id;
  }

  /** Append a body to a file of an archive. Throws UNKNOWN_PUSH, BAD_BODY, and what {@link PushedArchive.append} throws. */
  async append(client: string, id: number, part: PushedPart, body: Buffer, connection: object): Promise<void> {
    const kept = this.#require(client, id);
    if (body.length === 0) throw new GatewayError('BAD_BODY', 'the body is empty', { expected: 'records' });
    kept.lastUsedSec = this.#nowSec;
    try {
      const { grown, refusal } = await kept.open.archive.append(part, body, connection);
      kept.bytes += grown;
      this.statistics.bytes += grown;
      if (refusal) throw refusal;
    } catch (error) {
      this.statistics.refused++;
      throw error;
    }
  }

  /** Closes unused archives, compresses closed ones, removes old ones. */
  sweep(): Promise<void> {
    this.#sweeping = this.#sweeping.then(() => this.#sweep()).catch((error: unknown) => this.#complain(error));
    return this.#sweeping;
  }

  get #nowSec(): number {
    return this.#options.clock.now().sec;
  }

  #complain(error: unknown): void {
    const { directory } = this.#options;
    this.#options.warn('cannot tidy pushed archives', { directory, reason: (error as Error).message });
  }

  #require(client: string, id: number): Required<KeptArchive> {
    const kept = this.#byId.get(id);
    if (kept?.open && kept.client === client && !this.#isExpired(kept)) return kept as Required<KeptArchive>;
    throw new GatewayError('UNKNOWN_PUSH', `no archive is being pushed under the number ${id}: send its label again`);
  }

  #isExpired({ open, lastUsedSec }: KeptArchive): boolean {
    return open !== undefined && this.#nowSec - lastUsedSec > open.timeoutSec;
  }

  #freeId(): number {
    for (;;) {
      const id = randomInt(1, MAX_ID);
      if (!this.#byId.has(id)) return id;
    }
  }

  /** A name as pmproxy's: the label's start in this machine's time zone. */
  async #freeName(hostName: string, startSec: number): Promise<string> {
    const at = new Date(startSec * 1000);
    const two = (number: number): string => String(number).padStart(2, '0');
    const day = `${String(at.getFullYear()).padStart(4, '0')}${two(at.getMonth() + 1)}${two(at.getDate())}`;
    const minute = `${day}.${two(at.getHours())}.${two(at.getMinutes())}`;
    const onDisk = new Set((await this.#filesOf(hostName)).map(({ base }) => base));
    for (let i = 0; i <= MAX_SAME_MINUTE; i++) {
      const base = i === 0 ? minute : `${minute}-${two(i)}`;
      const name = `${hostName}/${base}`;
      if (FILE.test(`${base}.meta`) && !onDisk.has(base) && !this.#archives.has(name)) return name;
    }
    throw new GatewayError('DUPLICATE_NAME', `there are too many archives of ${hostName} that begin in that minute`);
  }

  async #filesOf(host: string): Promise<{ readonly base: string; readonly file: string; readonly volume: number }[]> {
    const names = await readdir(path.join(this.#options.directory, host)).catch(() => []);
    return names.flatMap((file) => {
      const [, base, volume = '-1'] = FILE.exec(file) ?? [];
      return base === undefined ? [] : [{ base, file, volume: Number(volume) }];
    });
  }

  async #filesIn(name: string): Promise<{ readonly file: string; readonly volume: number }[]> {
    const [host = '', wanted] = name.split('/');
    const own = (await this.#filesOf(host)).filter(({ base }) => base === wanted);
    return own.map(({ file, volume }) => ({ file: path.join(this.#options.directory, host, file), volume }));
  }

  /** Removes closed archives, the client's oldest first, to make room. Throws LIMIT_EXCEEDED. */
  #makeRoom(client: string, bytes: number, appending: string | undefined, opening = 0): void {
    const { clientBytes, clientArchives, keepBytes } = this.#options.limits;
    const own = [...this.#archives.values()].filter((archive) => archive.client === client);
    const ownBytes = own.reduce((sum, archive) => sum + archive.bytes, 0) + bytes;
    const isTooMany = appending === undefined && own.length + opening >= clientArchives;
    if (isTooMany || ownBytes > clientBytes) {
      const count = isTooMany ? own.length + opening + 1 - clientArchives : 0;
      this.#removeOldest(own, count, ownBytes - clientBytes, 'client');
    }
    this.#removeOldest([...this.#archives.values()], 0, this.keptBytes + bytes - keepBytes, 'keep');
  }

  #removeOldest(archives: readonly KeptArchive[], count: number, bytes: number, limit: 'client' | 'keep'): void {
    if (count <= 0 && bytes <= 0) return;
    const closed = archives.filter(({ open }) => !open).sort((a, b) => a.lastUsedSec - b.lastUsedSec);
    let [removedCount, removedBytes] = [0, 0];
    for (const archive of closed) {
      if (removedCount >= count && removedBytes >= bytes) break;
      removedCount++;
      removedBytes += archive.bytes;
      this.#forget(archive);
    }
    if (removedCount >= count && removedBytes >= bytes) return;
    const option = limit === 'keep' ? 'push.keepBytes' : count > 0 ? 'push.clientArchives' : 'push.clientBytes';
    throw new GatewayError('LIMIT_EXCEEDED', `no room for more pushed archives (${option})`);
  }

  #forget({ name }: KeptArchive): void {
    this.#archives.delete(name);
    this.#sweeping = this.#sweeping.then(() => this.#unlinkAll(name)).catch((error: unknown) => this.#complain(error));
  }

  async #unlinkAll(name: string): Promise<void> {
    // Without its metadata an archive is no longer listed.
    const files = (await this.#filesIn(name)).map(({ file }) => file).sort();
    for (const file of files.reverse()) await unlink(file);
  }

  async #sweep(): Promise<void> {
    const { keepDays } = this.#options.limits;
    let hasChanged = false;
    for (const archive of [...this.#archives.values()]) {
      if (this.#isExpired(archive)) {
        this.#byId.delete(archive.open!.id);
        delete archive.open;
        hasChanged = true;
      }
      if (!archive.open && this.#nowSec - archive.lastUsedSec > keepDays * DAY_SEC) {
        this.#archives.delete(archive.name);
        await this.#unlinkAll(archive.name);
        hasChanged = true;
      } else await this.#tidy(archive);
    }
    if (hasChanged) await this.#save();
  }

  /** Compresses finished volumes of an archive, or removes an empty archive. */
  async #tidy(archive: KeptArchive): Promise<void> {
    const current = archive.open?.archive.volume ?? Infinity;
    for (const { file, volume } of await this.#filesIn(archive.name)) {
      if (volume >= 0 && volume < current && file.endsWith(`.${volume}`)) await compressFile(file);
      else if (!archive.open && /\.(?:part|tmp)$/.test(file)) await unlink(file);
    }
    archive.bytes = await this.#bytesOf(archive.name);
    if (!archive.open && archive.bytes === 0) this.#archives.delete(archive.name);
  }

  async #bytesOf(name: string): Promise<number> {
    let bytes = 0;
    for (const { file } of await this.#filesIn(name)) bytes += (await lstat(file).catch(() => undefined))?.size ?? 0;
    return bytes;
  }

  async #load(): Promise<void> {
    const { directory, timers } = this.#options;
    await mkdir(directory, { recursive: true, mode: 0o750 });
    const saved = new Map((await this.#readState()).map((archive) => [archive.name, archive]));
    for (const entry of await readdir(directory, { withFileTypes: true })) {
      if (!entry.isDirectory() || !HOST_NAME.test(entry.name)) continue;
      for (const { base } of await this.#filesOf(entry.name)) {
        const name = `${entry.name}/${base}`;
        if (!saved.has(name)) saved.set(name, { name, client: '', lastUsedSec: this.#nowSec });
      }
    }
    for (const archive of saved.values()) await this.#takeUp(archive);
    this.#stopSweeps = repeat(SWEEP_MS, timers, () => void this.sweep());
  }

  async #takeUp({ name, client, lastUsedSec, open }: SavedArchive): Promise<void> {
    const archive: KeptArchive = { name, client, bytes: await this.#bytesOf(name), lastUsedSec };
    if (open) {
      const volumes = (await this.#filesIn(name)).map(({ volume }) => volume);
      const base = path.join(this.#options.directory, name);
      const label = Buffer.from(open.label, 'base64');
      archive.open = { ...open, archive: new PushedArchive(base, label, Math.max(-1, ...volumes)) };
      // The time that the gateway was away does not count.
      archive.lastUsedSec = this.#nowSec;
      this.#byId.set(open.id, archive);
    }
    if (open || archive.bytes > 0) this.#archives.set(name, archive);
  }

  async #readState(): Promise<readonly SavedArchive[]> {
    try {
      const state = await this.#state.read();
      return Array.isArray(state) ? (state as readonly SavedArchive[]).filter(isSaved) : [];
    } catch (error) {
      this.#complain(error);
      return [];
    }
  }

  async #save(): Promise<void> {
    const saved = [...this.#archives.values()].map(({ name, client, lastUsedSec, open }): SavedArchive => {
      const { id, timeoutSec, label } = open ?? {};
      const kept = id === undefined ? {} : { open: { id, timeoutSec: timeoutSec!, label: label! } };
      return { name, client, lastUsedSec, ...kept };
    });
    await this.#state.write(saved);
  }
}

function unusable(what: string, value: string): GatewayError {
  return new GatewayError('BAD_PARAMETER', `the label has the unusable ${what} ${JSON.stringify(value.slice(0, 100))}`);
}

/** Whether an entry of the state file is valid: its name becomes a path. */
function isSaved({ name, client, lastUsedSec, open }: SavedArchive): boolean {
  const [host = '', base = '', ...more] = name.split('/');
  const isOpen = open === undefined || (Number.isSafeInteger(open.id) && typeof open.label === 'string');
  return (
    more.length === 0 &&
    HOST_NAME.test(host) &&
    FILE.test(`${base}.meta`) &&
    typeof client === 'string' &&
    isOpen &&
    Number.isFinite(lastUsedSec)
  );
}
