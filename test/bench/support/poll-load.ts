/**
 * Clients that ask at times that do not depend on the answers, over raw keep-alive sockets, in a process of their own: reads one JSON
 * text ({@link PollPlan}) from standard input, writes `begin` when all are connected, and one JSON text ({@link PollOutcome}) at last.
 */
import net from 'node:net';
import type { PollAnswer, PollOutcome, PollPlan } from './polls.js';

/** Connections made at once. */
const CONNECTING = 50;

interface Ask {
  readonly dueMs: number;
  readonly phase: number;
  readonly path: string;
  readonly timer: NodeJS.Timeout;
  on?: Connection;
}

/** One keep-alive connection; made again when it is lost. */
class Connection {
  #socket: net.Socket | undefined;
  #isOpen = false;
  #text = '';
  #asked: Ask | undefined;
  readonly #waiting: Ask[] = [];

  get isFree(): boolean {
    return this.#asked === undefined && this.#waiting.length === 0;
  }

  connect(): Promise<void> {
    return new Promise((resolve) => {
      const socket = net.connect({ port: plan.port, host: '127.0.0.1', noDelay: true });
      this.#socket = socket;
      this.#text = '';
      socket.setEncoding('latin1');
      socket.once('connect', () => {
        this.#isOpen = true;
        resolve();
        this.#next();
      });
      socket.on('data', (chunk: string) => this.#read(chunk));
      socket.on('error', (error: NodeJS.ErrnoException) => {
        this.#fail(error.code ?? error.message);
        resolve();
      });
      socket.once('close', () => {
        this.#isOpen = false;
        this.#socket = undefined;
        this.#fail('closed before the answer');
        if (this.#waiting.length > 0) void this.connect();
      });
    });
  }

  ask(ask: Ask): void {
    ask.on = this;
    this.#waiting.push(ask);
    this.#next();
  }

  /** Stop waiting for an answer: it would come too late. */
  giveUp(ask: Ask): void {
    if (this.#asked !== ask) {
      const at = this.#waiting.indexOf(ask);
      if (at >= 0) this.#waiting.splice(at, 1);
      return;
    }
    this.#asked = undefined;
    this.#socket?.destroy();
  }

  end(): void {
    this.#socket?.destroy();
  }

  #next(): void {
    if (this.#asked !== undefined || this.#waiting.length === 0) return;
    if (this.#socket === undefined) void this.connect();
    if (!this.#isOpen) return;
    this.#asked = this.#waiting.shift()!;
    this.#socket!.write(`GET ${this.#asked.path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  }

  #read(chunk: string): void {
    this.#text += chunk;
    const headEnd = this.#text.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = this.#text.slice(0, headEnd);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    const isWhole =
      length === undefined ? this.#text.endsWith('\r\n0\r\n\r\n') : this.#text.length >= headEnd + 4 + Number(length);
    if (!isWhole) return;
    this.#text = '';
    const asked = this.#asked;
    this.#asked = undefined;
    if (asked) {
      const status = Number(head.slice(9, 12));
      const wasShed = (status === 503 || status === 429) && /\r\nretry-after: \d+/i.test(head);
      settle(asked, status === 200 ? 'ok' : wasShed ? 'shed' : `status ${status}`);
    }
    if (/\r\nconnection: close/i.test(head)) {
      this.#isOpen = false;
      this.#socket?.destroy();
    } else {
      this.#next();
    }
    serveQueue();
  }

  #fail(kind: string): void {
    const asked = this.#asked;
    this.#asked = undefined;
    if (asked) settle(asked, kind);
  }
}

let input = '';
for await (const chunk of process.stdin) input += String(chunk);
const plan = JSON.parse(input) as PollPlan;
const answers: PollAnswer[] = [];
const queue: Ask[] = [];
let pending = 0;
let count = 0;
const connections = Array.from({ length: plan.connections }, () => new Connection());
for (let i = 0; i < connections.length; i += CONNECTING) {
  await Promise.all(connections.slice(i, i + CONNECTING).map((connection) => connection.connect()));
}
process.stdout.write('begin\n');

const startMs = performance.now();
let endMs = startMs;
for (const [phase, { rate, seconds }] of plan.phases.entries()) {
  const fromMs = endMs;
  endMs += seconds * 1000;
  for (let sent = 0; ;) {
    const nowMs = performance.now();
    const due = Math.floor(((Math.min(nowMs, endMs) - fromMs) * rate) / 1000);
    while (sent < due) arrive(phase, fromMs + (++sent * 1000) / rate);
    if (nowMs >= endMs) break;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
const patienceMs = performance.now() + plan.timeoutMs + 100;
while (pending > 0 && performance.now() < patienceMs) await new Promise((resolve) => setTimeout(resolve, 10));
for (const connection of connections) connection.end();
const outcome: PollOutcome = { answers, unanswered: pending };
process.stdout.write(`${JSON.stringify(outcome)}\n`, () => process.exit());

/** A request is due: on the connection of its own client, or on any that is free. */
function arrive(phase: number, dueMs: number): void {
  const number = count++;
  const ask: Ask = {
    dueMs,
    phase,
    path: plan.paths[number % plan.paths.length]!,
    timer: setTimeout(() => late(ask), plan.timeoutMs),
  };
  pending++;
  const connection = plan.isPinned
    ? connections[number % connections.length]
    : connections.find(({ isFree }) => isFree);
  if (connection) connection.ask(ask);
  else queue.push(ask);
}

function serveQueue(): void {
  while (queue.length > 0) {
    const free = connections.find(({ isFree }) => isFree);
    if (!free) return;
    free.ask(queue.shift()!);
  }
}

function late(ask: Ask): void {
  if (ask.on) ask.on.giveUp(ask);
  else queue.splice(queue.indexOf(ask), 1);
  settle(ask, `no answer within ${plan.timeoutMs} ms`);
}

function settle(ask: Ask, kind: string): void {
  clearTimeout(ask.timer);
  pending--;
  answers.push([ask.phase, ask.dueMs - startMs, performance.now() - ask.dueMs, kind]);
}
