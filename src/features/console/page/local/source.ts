/** Archives of this machine: a worker answers what the client asks about them, and nothing of them is sent anywhere. */
import { effect, signal } from '@preact/signals';
import type { ArchiveEntry } from '../../../../client/index.js';
import { archiveEntries, archiveTrouble, wantArchives } from '../data/catalogue.js';
import { local, localClient } from '../data/gateway.js';

/** The file of the worker; undefined in a page that is a file of its own, which has it inside. */
declare const WORKER: string | undefined;

/** A file that the user has given, by its path in a folder. */
export interface GivenFile {
  readonly path: string;
  readonly blob: Blob;
}

/** How far the opening of files is, in bytes. */
export interface Progress {
  readonly read: number;
  readonly total: number;
}

interface Options {
  readonly signal?: AbortSignal | null | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

interface Waiting extends Options {
  readonly take: (result: unknown) => void;
  readonly fail: (error: Error) => void;
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
  readonly progress?: Progress;
}

const waiting = new Map<number, Waiting>();
const { trustedTypes } = globalThis as {
  trustedTypes?: { createPolicy: (name: string, rules: object) => { createScriptURL: (url: string) => string } };
};
/** The page takes the address of a script from this policy only, and a policy once: a worker that failed is started again. */
const policy = trustedTypes?.createPolicy('pmgate-worker', { createScriptURL: (given: string) => given });
/** It starts while the user chooses or drags files. */
let worker: Promise<Worker> | undefined = startWorker();
worker.catch(() => (worker = undefined));
let asked = 0;

/** The archives that are open, as the gateway lists its own. */
export const localArchives = signal<readonly ArchiveEntry[]>([]);

effect(() => {
  const entries = archiveEntries.value ?? (archiveTrouble.value && []);
  if (!entries) void wantArchives();
  const missing = localArchives.value.filter(({ name }) => entries?.every((entry) => entry.name !== name));
  if (missing.length > 0) archiveEntries.value = [...missing, ...entries!];
});

/** The platform's fetch() for paths of a gateway that has the open archives. */
export async function fetchLocal(path: string, { method = 'GET', body, signal }: RequestInit = {}): Promise<Response> {
  const contentType = typeof body === 'string' ? 'application/json' : undefined;
  const call = { method, url: path, contentType, body: body ?? undefined };
  const answer = (await ask({ call }, { signal })) as Readonly<{ status: number; contentType: string; body: Blob }>;
  const [, context] = /^\{"context":(\d+)/.exec(await answer.body.slice(0, 40).text()) ?? [];
  if (context !== undefined) local.contexts.add(context);
  return new Response(answer.body, { status: answer.status, headers: { 'Content-Type': answer.contentType } });
}

/** Opens the archives among some files; returns their names. Throws the signal's reason, and an error that says what is wrong. */
export async function openFiles(files: readonly GivenFile[], options: Options): Promise<readonly string[]> {
  const names = (await ask({ files }, options)) as readonly string[];
  const listed = await localClient.archives({ signal: options.signal ?? undefined });
  localArchives.value = listed;
  return listed.flatMap(({ name, error }) => (names.includes(name) && !error ? [name] : []));
}

async function ask(message: object, { signal, onProgress }: Options): Promise<unknown> {
  const running = await (worker ??= startWorker());
  signal?.throwIfAborted();
  const id = ++asked;
  const answered = new AbortController();
  return new Promise((take, fail) => {
    waiting.set(id, { take, fail, onProgress });
    const cancel = (): void => {
      running.postMessage({ id, isOver: true });
      fail(signal!.reason as Error);
    };
    signal?.addEventListener('abort', cancel, { signal: answered.signal });
    running.postMessage({ ...message, id });
  }).finally(() => answered.abort());
}

async function startWorker(): Promise<Worker> {
  const url = WORKER === undefined ? await ownWorker() : `./${WORKER}`;
  const started = new Worker(policy?.createScriptURL(url) ?? url);
  started.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
    const { id, result, error, progress } = data;
    const asking = waiting.get(id);
    if (progress) return asking?.onProgress?.(progress);
    waiting.delete(id);
    if (error === undefined) asking?.take(result);
    else asking?.fail(new Error(error));
  });
  started.addEventListener('error', ({ message }) => {
    for (const { fail } of waiting.values()) fail(new Error(`the worker of this page has failed: ${message}`));
    waiting.clear();
    worker = undefined;
  });
  return started;
}

/** The address of the worker that is in the page. */
async function ownWorker(): Promise<string> {
  const packed = bytesIn(document.getElementById('worker')!);
  const script = await new Response(packed.stream().pipeThrough(new DecompressionStream('gzip'))).text();
  return URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
}

/** What an element has in base64. */
export function bytesIn({ textContent }: Element): Blob {
  return new Blob([Uint8Array.from(atob(textContent.trim()), (unit) => unit.charCodeAt(0))]);
}
