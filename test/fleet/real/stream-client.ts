import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { StreamEvent } from '../support/stream-history.js';
import type { Balancer } from './clients.js';

/** How long an EventSource waits before it connects again. */
const RECONNECT_MS = 200;
/** A page is open for a while, and loaded again at another gateway; longest. */
const PAGE_MS = 8000;

/** Ways to get a stream wrong, which the check must find. */
export type StreamMistake = 'ignores gaps' | 'does not resume';

/** A client of a stream, as EventSource is one: reconnects to the gateway whose turn it is, with the id of the last event. */
export class StreamClient {
  readonly events: StreamEvent[] = [];
  longestPauseMs = 0;
  readonly #balancer: Balancer;
  readonly #target: string;
  readonly #mistake: StreamMistake | undefined;
  #lastId: string | undefined;
  #lastMs: number;
  #leave: () => void = () => undefined;
  isOver = false;

  constructor(balancer: Balancer, target: string, mistake?: StreamMistake) {
    this.#balancer = balancer;
    this.#target = target;
    this.#mistake = mistake;
    this.#lastMs = balancer.nowMs;
  }

  async run(): Promise<void> {
    while (!this.isOver) {
      await this.#listen();
      this.events.push({ kind: 'reconnected' });
      await pause(RECONNECT_MS);
    }
  }

  end(): void {
    this.isOver = true;
    this.#leave();
  }

  #listen(): Promise<void> {
    const isResumed = this.#lastId !== undefined && this.#mistake !== 'does not resume';
    const headers = isResumed ? { 'Last-Event-ID': this.#lastId } : {};
    const port = this.#balancer.next();
    return new Promise((resolve) => {
      const request = http.get({ port, path: this.#target, headers, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          const whole = (text + chunk).split('\n\n');
          text = whole.pop()!;
          if (response.statusCode === 200) for (const event of whole) this.#take(event);
        });
        response.on('close', resolve).on('error', () => undefined);
      });
      request.on('error', () => resolve());
      this.#leave = () => request.destroy();
      setTimeout(this.#leave, PAGE_MS * (0.5 + Math.random() / 2)).unref();
    });
  }

  #take(event: string): void {
    const id = /^id: (.*)$/m.exec(event)?.[1];
    const [, from, to] = /^event: gap\ndata: \{"from":([\d.]+),"to":([\d.]+)\}/m.exec(event) ?? [];
    if (id !== undefined) {
      this.#lastId = id;
      this.longestPauseMs = Math.max(this.longestPauseMs, this.#balancer.nowMs - this.#lastMs);
      this.#lastMs = this.#balancer.nowMs;
      this.events.push({ kind: 'sample', id: nanoseconds(id) });
    } else if (from !== undefined && to !== undefined && this.#mistake !== 'ignores gaps') {
      this.events.push({ kind: 'gap', from: nanoseconds(from), to: nanoseconds(to) });
    }
  }
}

function nanoseconds(text: string): bigint {
  const [sec = '', fraction = ''] = text.split('.');
  return BigInt(sec) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
}
