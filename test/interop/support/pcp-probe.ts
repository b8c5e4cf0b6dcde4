import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { type Interface, createInterface } from 'node:readline';

/** Labels as libpcp gives them. */
export type ProbedLabels = Readonly<Record<string, unknown>>;

/** What libpcp says of one metric: numbers as in the descriptor. */
export interface ProbedMetric {
  readonly pmid: number;
  readonly type: number;
  readonly indom: number;
  readonly semantics: number;
  /** dimSpace, dimTime, dimCount, scaleSpace, scaleTime, scaleCount. */
  readonly units: readonly number[];
  readonly labels: ProbedLabels;
  readonly domainLabels: ProbedLabels;
  readonly clusterLabels: ProbedLabels;
}

/** What libpcp says of one instance domain. */
export interface ProbedIndom {
  readonly instances: readonly (readonly [id: number, name: string])[];
  readonly labels: ProbedLabels;
  readonly instanceLabels: Readonly<Record<string, ProbedLabels>>;
}

/** The answer to {@link PcpProbe.describe}; null for a name that pmcd does not know. */
export interface ProbedMetadata {
  readonly metrics: Readonly<Record<string, ProbedMetric | null>>;
  readonly indoms: Readonly<Record<string, ProbedIndom>>;
  readonly contextLabels: ProbedLabels;
}

/** Values by instance number, integers with all their digits; or a PM_ERR code. */
export type ProbedValues = Readonly<Record<string, string | null>> | { readonly error: number };

/** A context of real libpcp in a Python process. */
export class PcpProbe {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;
  readonly #answers: AsyncIterator<string>;
  #complaint = '';

  constructor(hostspec: string) {
    this.#process = spawn('/usr/bin/python3', ['test/interop/support/pcp-probe.py', hostspec]);
    this.#process.stderr.on('data', (text: Buffer) => (this.#complaint += text.toString()));
    this.#lines = createInterface({ input: this.#process.stdout });
    this.#answers = this.#lines[Symbol.asyncIterator]();
  }

  describe(names: readonly string[]): Promise<ProbedMetadata> {
    return this.#ask({ op: 'describe', names }) as Promise<ProbedMetadata>;
  }

  fetch(names: readonly string[]): Promise<Readonly<Record<string, ProbedValues>>> {
    return this.#ask({ op: 'fetch', names }) as Promise<Readonly<Record<string, ProbedValues>>>;
  }

  close(): void {
    this.#process.stdin.end();
    this.#process.kill();
    this.#lines.close();
  }

  async #ask(request: object): Promise<unknown> {
    this.#process.stdin.write(`${JSON.stringify(request)}\n`);
    const answer = await this.#answers.next();
    if (answer.done === true) throw new Error(`the libpcp probe ended: ${this.#complaint}`);
    return JSON.parse(answer.value) as unknown;
  }
}
