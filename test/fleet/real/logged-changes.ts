import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'iovalkey';
import type { Change } from '../support/history.js';
import type { RealFleet } from './real-fleet.js';

const KEY = 'pmgate:{fleet}:definitions';
const RETRY_MS = 100;

interface Document {
  readonly definitions: readonly { readonly name: string; readonly expression: string }[];
}

/** The changes of some names as the nodes of the engine saw them, past the gateways: each version is a change of the one before. */
export class LoggedChanges {
  readonly #fleet: RealFleet;
  readonly #prefix: string;
  /** By id, which is the version and the node that took it. */
  readonly #texts = new Map<string, string>();
  isOver = false;

  /** @param prefix of the names */
  constructor(fleet: RealFleet, prefix: string) {
    this.#fleet = fleet;
    this.#prefix = `${prefix}.`;
  }

  /** Watches all nodes until it is over: a replica has what a primary that was killed did last. */
  async run(): Promise<void> {
    await Promise.all([0, 1, 2].map((place) => this.#watch(place)));
  }

  /** All changes in order, as JSON of {@link Change}. The fleet has recovered. */
  async read(): Promise<readonly string[]> {
    const { version: last, nodes } = await this.#current();
    const known = [...this.#texts.keys()].map((id) => Number(id.split(' ')[0]));
    const changes: Change[] = [];
    let before = new Map<string, string>();
    for (let version = Math.min(...known); version <= last; version++) {
      const [node] = nodes.findLast(([, first]) => first <= version)!;
      const text = this.#texts.get(`${version} ${node}`);
      if (text === undefined) throw new Error(`version ${version} was not seen: nothing is known of what it changed`);
      const after = this.#namesIn(text);
      for (const [name, value] of before) {
        if (after.get(name) !== value) changes.push({ id: `remove ${value}`, name });
      }
      for (const [name, value] of after) {
        if (before.get(name) !== value) changes.push({ id: `put ${value}`, name, value });
      }
      before = after;
    }
    return changes.map((change) => JSON.stringify(change));
  }

  #namesIn(text: string): Map<string, string> {
    const { definitions } = JSON.parse(text) as Document;
    const own = definitions.filter(({ name }) => name.startsWith(this.#prefix));
    return new Map(own.map(({ name, expression }) => [name, expression]));
  }

  async #watch(place: number): Promise<void> {
    while (!this.isOver) {
      const socket = connect(this.#fleet.portOf(place), '127.0.0.1');
      let isEnded = false;
      socket.on('error', () => undefined).once('close', () => (isEnded = true));
      let rest = '';
      socket.on('data', (chunk: Buffer) => {
        const lines = (rest + chunk.toString('latin1')).split('\r\n');
        rest = lines.pop()!;
        for (const line of lines) this.#take(line);
      });
      socket.write('MONITOR\r\n');
      const { id, text } = await this.#current().catch(() => ({ id: '', text: '' }));
      if (id !== '') this.#texts.set(id, text);
      const goesOn = (): boolean => !this.isOver && !isEnded;
      while (goesOn()) await pause(RETRY_MS);
      socket.destroy();
      await pause(RETRY_MS);
    }
  }

  /** Takes a command that a node has run, as MONITOR writes it. */
  #take(line: string): void {
    if (!line.includes(`"${KEY}" "id"`)) return;
    const [command, , , id, , , , text] = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, quoted]) =>
      unquote(quoted!),
    );
    if (command?.toLowerCase() === 'hset') this.#texts.set(id!, text!);
  }

  async #current(): Promise<{
    id: string;
    version: number;
    nodes: readonly (readonly [string, number])[];
    text: string;
  }> {
    const client = this.#connect(this.#fleet.portOf(this.#fleet.primary()));
    try {
      await client.connect();
      const [id, saved, text] = await client.hmget(KEY, 'id', 'nodes', 'text');
      const { version, nodes } = JSON.parse(saved ?? '{"version":0,"nodes":[]}') as {
        version: number;
        nodes: readonly (readonly [string, number])[];
      };
      return { id: id ?? '', version, nodes, text: text ?? '' };
    } finally {
      client.disconnect();
    }
  }

  #connect(port: number): Redis {
    const options = { lazyConnect: true, retryStrategy: () => null, commandTimeout: 1000, enableOfflineQueue: false };
    const client = new Redis({ port, ...options });
    client.on('error', () => undefined);
    return client;
  }
}

/** A parameter as MONITOR quotes it: its names and expressions are ASCII. */
function unquote(quoted: string): string {
  return quoted.replaceAll(/\\(x[\da-f]{2}|.)/g, (_, what: string) =>
    what.length === 3
      ? String.fromCharCode(parseInt(what.slice(1), 16))
      : ({ n: '\n', r: '\r', t: '\t' }[what] ?? what),
  );
}
