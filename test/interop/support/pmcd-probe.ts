import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { type Interface, createInterface } from 'node:readline';

/** A value as the probe writes it: big-endian bytes in hexadecimal, a text, or unpacked event records. */
export type ProbedValue = string | readonly ProbedEvent[] | { readonly error: number };
export type ProbedEvent = readonly [
  when: readonly [number, number],
  parameters: readonly (readonly [pmid: number, value: ProbedValue])[],
];

/** A fetch: for each metric a status of 0 or below, or its values by instance. */
export interface ProbedFetch {
  readonly timestamp: readonly [sec: number, nsec: number];
  readonly sets: readonly (number | readonly (readonly [instance: number, value: ProbedValue])[])[];
}

/** A context of real libpcp, without derived metrics, in a Python process that answers one request at a time. */
export class PmcdProbe {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;
  readonly #answers: AsyncIterator<string>;
  #complaint = '';

  constructor(hostspec: string) {
    this.#process = spawn('/usr/bin/python3', ['test/interop/support/pmcd-probe.py', hostspec], {
      env: { ...process.env, PCP_DERIVED_CONFIG: '' },
    });
    this.#process.stderr.on('data', (text: Buffer) => (this.#complaint += text.toString()));
    this.#lines = createInterface({ input: this.#process.stdout });
    this.#answers = this.#lines[Symbol.asyncIterator]();
  }

  async ask<T>(op: string, request: object = {}): Promise<T> {
    this.#process.stdin.write(`${JSON.stringify({ op, ...request })}\n`);
    const answer = await this.#answers.next();
    if (answer.done === true) throw new Error(`the libpcp probe ended: ${this.#complaint}`);
    return JSON.parse(answer.value) as T;
  }

  close(): void {
    this.#process.stdin.end();
    this.#process.kill();
    this.#lines.close();
  }
}
