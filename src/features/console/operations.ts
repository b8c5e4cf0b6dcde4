import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { once } from '../../kit/index.js';
import { GatewayError } from '../../pmapi/index.js';
import { DOCUMENT, keepCompressed, pageForBrowsers } from '../../http/index.js';
import type { Answer, OperationRequest, Route, Routes } from '../../http/index.js';

/** The page's paths below /console/; the page has the same list. */
const SCREENS: ReadonlySet<string> = new Set([
  ...['find', 'chart', 'derive', 'changes', 'hosts', 'archives', 'explain', 'process', 'processes'],
]);
const PAGE = 'index.html';
const BUILT = fileURLToPath(new URL('../../../dist/console', import.meta.url));
/** The names of the other files contain a hash of their content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};
/** The page runs its own script, sends requests only to this server, and cannot turn text into markup or script; its worker is the only one. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types pmgate-worker',
].join('; ');
/** The worker reads the files that it is given; the library for xz is WebAssembly. */
const WORKER_POLICY = "default-src 'none'; script-src 'wasm-unsafe-eval'; connect-src 'none'";
/** The page as a file of its own, for downloading, and the worker, of which it has the only copy. */
const [VIEWER, WORKER] = ['viewer.html', 'worker.js'];
const WORKER_IN_VIEWER = /id="worker">([^<]+)</;

/** A file of the console. */
export interface ConsoleFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** The files of the console by name; `index.html` is the page. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/**
 * The page at /console/ and its files.
 * @param current the files; undefined while there is no page
 */
export function consoleRoutes(current: () => ConsoleFiles | undefined) {
  const route = (run: (request: OperationRequest<object>, files: ConsoleFiles) => Answer): Route => ({
    ...DOCUMENT,
    leavesQuery: true,
    get off() {
      return current() ? undefined : 'there is no console: console.enabled is not set, or it was not built';
    },
    run: (request: OperationRequest<object>) => run(request, current()!),
  });
  return { consolePage: route(runPage), consoleFile: route(runFile) } satisfies Routes;
}

/**
 * Reads the files that the build wrote to `directory`, with their compressed forms.
 * @returns undefined if there is no page: in a clone that has not been built
 */
export function readConsoleFiles(directory = BUILT): ConsoleFiles | undefined {
  const names = filesOf(directory);
  const files = new Map<string, ConsoleFile>();
  for (const name of names) {
    const contentType = CONTENT_TYPES[path.extname(name)];
    if (contentType === undefined || name === VIEWER) continue;
    const bytes = readFileSync(path.join(directory, name));
    if (names.includes(`${name}.br`)) keepCompressed(bytes, 'br', readFileSync(path.join(directory, `${name}.br`)));
    if (names.includes(`${name}.gz`)) keepCompressed(bytes, 'gzip', readFileSync(path.join(directory, `${name}.gz`)));
    files.set(name, { contentType, bytes });
  }
  if (names.includes(VIEWER)) {
    const viewer = once(() => readFileSync(path.join(directory, VIEWER)));
    const worker = once(() => workerIn(viewer().toString()));
    files.set(VIEWER, whenWanted('.html', viewer)).set(WORKER, whenWanted('.js', worker));
  }
  return files.has(PAGE) ? files : undefined;
}

/** A file that few ask for. */
function whenWanted(extension: '.html' | '.js', read: () => Uint8Array): ConsoleFile {
  return {
    contentType: CONTENT_TYPES[extension]!,
    get bytes() {
      return read();
    },
  };
}

function workerIn(viewer: string): Uint8Array {
  const packed = Buffer.from(WORKER_IN_VIEWER.exec(viewer)?.[1] ?? '', 'base64');
  const bytes = gunzipSync(packed);
  keepCompressed(bytes, 'gzip', packed);
  return bytes;
}

function filesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The first screen of the console at /console/; /console redirects there, since the page's URLs are relative. */
function runPage({ call }: OperationRequest<object>, files: ConsoleFiles): Answer {
  const [pathname = '', query] = call.url.split('?', 2);
  if (pathname.endsWith('/')) return pageOf(files);
  return {
    status: 308,
    contentType: 'text/plain; charset=utf-8',
    body: '',
    headers: ['Location', query === undefined ? 'console/' : `console/?${query}`],
  };
}

/** Another screen, or a file of the page; in browsers, a page with a way back for what there is not. */
function runFile({ call, path: { file: name = '' } }: OperationRequest<object>, files: ConsoleFiles): Answer {
  const [pathname = ''] = call.url.split('?', 1);
  const isBelow = pathname.endsWith('/');
  if (SCREENS.has(name) && !isBelow) return pageOf(files, name === 'chart' ? [] : screensIn(files));
  const file = isBelow || name === PAGE ? undefined : files.get(name);
  if (!file) {
    const wanted = { method: call.method, path: pathname, accept: call.headers.accept };
    const notFound = pageForBrowsers(wanted, true);
    if (notFound) return notFound;
    throw noSuchFile(name);
  }
  const { contentType, bytes: body } = file;
  if (name === VIEWER) {
    const headers = ['Content-Disposition', 'attachment; filename="pmgate-viewer.html"'];
    return { contentType, body, cacheControl: 'no-cache', headers };
  }
  const headers = name === WORKER ? ['Content-Security-Policy', WORKER_POLICY] : [];
  return { contentType, body, cacheControl: IMMUTABLE, headers };
}

/** @param scripts those that the page will ask for once it has begun */
function pageOf(files: ConsoleFiles, scripts: readonly string[] = []): Answer {
  const page = files.get(PAGE);
  if (!page) throw noSuchFile('');
  const { contentType, bytes: body } = page;
  const headers = ['Content-Security-Policy', POLICY, 'Referrer-Policy', 'same-origin'];
  if (scripts.length > 0) headers.push('Link', scripts.map((name) => `<${name}>; rel=modulepreload`).join(', '));
  return { contentType, body, cacheControl: 'no-cache', headers };
}

/** The script of the screens that the first one does not need, and those that it imports. */
function screensIn(files: ConsoleFiles): readonly string[] {
  const [name, file] = [...files].find(([each]) => each.startsWith('others-')) ?? [];
  const imported = Buffer.from(file?.bytes ?? '')
    .toString()
    .matchAll(/from"\.\/([^"]+)"/g);
  return name === undefined ? [] : [name, ...[...imported].map((found) => found[1]!)];
}

function noSuchFile(name: string): GatewayError {
  return new GatewayError('NOT_FOUND', `no such file: /console/${name}`, { expected: 'a link of the page /console/' });
}
