import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { GatewayError } from '../../pmapi/index.js';
import type { Answer, OperationRequest } from '../../http/contracts.js';
import type { ConsoleFile, ConsoleFiles } from '../../http/options.js';
import { pageForBrowsers } from '../../http/response/no-such-path.js';
import { keepCompressed } from '../../http/response/representation.js';

/** The page's paths below /console/; `src/console` has the same list. */
const SCREENS: ReadonlySet<string> = new Set(['find', 'chart', 'derive', 'changes', 'hosts', 'archives', 'explain']);
const PAGE = 'index.html';
/** The names of the other files contain a hash of their content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};
/** The page runs its own script, sends requests only to this server, and cannot turn text into markup or script. */
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
  "trusted-types 'none'",
].join('; ');

/**
 * Reads the files that the build wrote to `directory`, with their compressed forms.
 * @returns undefined if there is no page: in a clone that has not been built
 */
export function readConsoleFiles(directory = builtConsole()): ConsoleFiles | undefined {
  const names = filesOf(directory);
  const files = new Map<string, ConsoleFile>();
  for (const name of names) {
    const contentType = CONTENT_TYPES[path.extname(name)];
    if (contentType === undefined) continue;
    const bytes = readFileSync(path.join(directory, name));
    if (names.includes(`${name}.br`)) keepCompressed(bytes, 'br', readFileSync(path.join(directory, `${name}.br`)));
    if (names.includes(`${name}.gz`)) keepCompressed(bytes, 'gzip', readFileSync(path.join(directory, `${name}.gz`)));
    files.set(name, { contentType, bytes });
  }
  return files.has(PAGE) ? files : undefined;
}

function builtConsole(): string {
  return fileURLToPath(new URL('../../../dist/console', import.meta.url));
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
export function runConsole({ call, options }: OperationRequest<object>): Answer {
  const page = pageOf(options.console);
  const [pathname = '', query] = call.url.split('?', 2);
  if (pathname.endsWith('/')) return page;
  return {
    status: 308,
    contentType: 'text/plain; charset=utf-8',
    body: '',
    headers: ['Location', query === undefined ? 'console/' : `console/?${query}`],
  };
}

/** Another screen, or a file of the page; in browsers, a page with a way back for what there is not. */
export function runConsoleFile({ call, path: { file: name = '' }, options }: OperationRequest<object>): Answer {
  const [pathname = ''] = call.url.split('?', 1);
  const isBelow = pathname.endsWith('/');
  if (SCREENS.has(name) && !isBelow) return pageOf(options.console);
  const file = isBelow || name === PAGE ? undefined : options.console?.get(name);
  if (!file) {
    const wanted = { method: call.method, path: pathname, accept: call.headers.accept };
    const notFound = pageForBrowsers(wanted, options.console !== undefined);
    if (notFound) return notFound;
    throw noSuchFile(name);
  }
  return { contentType: file.contentType, body: file.bytes, cacheControl: IMMUTABLE };
}

function pageOf(files: ConsoleFiles | undefined): Answer {
  const page = files?.get(PAGE);
  if (!page) throw noSuchFile('');
  return {
    contentType: page.contentType,
    body: page.bytes,
    cacheControl: 'no-cache',
    headers: ['Content-Security-Policy', POLICY, 'Referrer-Policy', 'same-origin'],
  };
}

function noSuchFile(name: string): GatewayError {
  return new GatewayError('NOT_FOUND', `no such file: /console/${name}`, { expected: 'a link of the page /console/' });
}
