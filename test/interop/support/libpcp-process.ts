import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { type Interface, createInterface } from 'node:readline';

/** Real libpcp in a Python process, which answers one request at a time, each in a line. */
export class LibpcpProcess {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;
  readonly #answers: AsyncIterator<string>;
  #complaint = '';

  /** @param script in this directory */
  constructor(script: string, args: readonly string[] = [], environment: NodeJS.ProcessEnv = {}) {
    const env = { ...process.env, ...environment };
    this.#process = spawn('/usr/bin/python3', [`test/interop/support/${script}`, ...args], { env });
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
