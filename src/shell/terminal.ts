import { createInterface } from 'node:readline';
import { Writable, type Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';

/** A stream of Node's that may be a terminal: process.stdout, or any stream in tests. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

export interface Output {
  /** Resolves when there is room. Throws {@link OutputClosedError} (reader left) and {@link OutputFailedError} (disk full). */
  write(text: string | Uint8Array): Promise<void>;
  readonly isTerminal: boolean;
  /** Size of the terminal, in characters; undefined for files and pipes. */
  readonly columns: number | undefined;
  readonly rows: number | undefined;
  /** The stream itself, for direct drawing; absent in tests. */
  readonly stream?: OutputStream;
}

export interface Terminal {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readInput(): Promise<string>;
  readLines(): AsyncIterable<string>;
  /** Standard input is a terminal: {@link readSecret} prompts. */
  readonly isAsked: boolean;
  /** One line of standard input; on a terminal there is a prompt, and the input is not echoed. */
  readSecret(prompt: string): Promise<string>;
  /** Calls a listener on Ctrl-C; returns a function that removes it. */
  onInterrupt(listener: () => void): () => void;
}

/** The reader of the output has left: a command ends quietly. */
export class OutputClosedError extends Error {
  override readonly name = 'OutputClosedError';
  override readonly message = 'the output is no longer read';
}

export class OutputFailedError extends Error {
  override readonly name = 'OutputFailedError';

  constructor(cause: Error) {
    super(`cannot write the output: ${cause.message}`, { cause });
  }
}

export function processTerminal(): Terminal {
  return {
    stdout: streamOutput(process.stdout),
    stderr: streamOutput(process.stderr),
    environment: process.env,
    isAsked: process.stdin.isTTY,
    readInput: () => readAll(process.stdin),
    readLines: () => createInterface({ input: process.stdin, crlfDelay: Infinity }),
    readSecret: (prompt) => readSecret(prompt, process, () => process.emit('SIGINT')),
    onInterrupt: (listener) => {
      process.once('SIGINT', listener);
      return () => process.off('SIGINT', listener);
    },
  };
}

export async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  await setTimeout(delayMs, undefined, { signal });
}

export function streamOutput(stream: OutputStream): Output {
  // Each write hears of its own failure; without a listener the stream's would end the process with a stack.
  stream.on('error', () => undefined);
  let failure: Error | undefined;
  const attempt = (text: string | Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  return {
    async write(text) {
      // What closes an output is written after a failure too, and fails for another reason.
      if (failure) throw failure;
      try {
        await attempt(text);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        failure = code === 'EPIPE' ? new OutputClosedError() : new OutputFailedError(error as Error);
        throw failure;
      }
    },
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns;
    },
    get rows() {
      return stream.rows;
    },
    stream,
  };
}

async function readAll(stream: Readable): Promise<string> {
  let text = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) text += chunk as string;
  return text;
}

interface Asked {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
}

/** A line of standard input, '' at its end. `interrupt` is called for Ctrl-C, which is an ordinary character meanwhile. */
export async function readSecret(prompt: string, { stdin, stderr }: Asked, interrupt: () => void): Promise<string> {
  const isAsked = stdin.isTTY === true;
  if (isAsked) stderr.write(prompt);
  // A terminal shows what readline writes; that goes nowhere.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output, terminal: isAsked });
  lines.on('SIGINT', () => {
    interrupt();
    lines.close();
  });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    if (isAsked) stderr.write('\n');
  }
}
