import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { getOrMake } from '../../kit/index.js';
import { ifThere } from '../../kit/node/index.js';
import { GatewayError } from '../../pmapi/index.js';
import type { Answer, AnyRequest } from '../contracts.js';
import { pageForBrowsers } from '../response/no-such-path.js';
import { keepCompressed } from '../response/representation.js';

const CACHED = 'public, max-age=3600';
const CSS = 'text/css; charset=utf-8';
/** Names of the guide's pages, and of their Markdown: without characters that could lead out of its directory. */
const GUIDE_PAGE = /^[a-z-]+(\.md)?$/;
/** What every page may do: load its style from here, and nothing from other servers. */
const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];
/** What Swagger UI may do in addition: run its scripts, and send requests to this server. */
const EXPLORER_POLICY = [...PAGE_POLICY, "script-src 'self'", "connect-src 'self'"];

/** Files by path, read at the first request. */
const files = new Map<string, Promise<Uint8Array>>();

function readOnce(file: string, read: (file: string) => Promise<Uint8Array> = readFile): Promise<Uint8Array> {
  return getOrMake(files, file, () => {
    const bytes = read(file);
    bytes.catch(() => files.delete(file));
    return bytes;
  });
}

export async function yamlFile(name: string): Promise<Answer> {
  const body = await readOnce(fileURLToPath(new URL(`../../../${name}`, import.meta.url)));
  return { contentType: 'application/yaml', body, cacheControl: CACHED };
}

export function runOpenapiJson(): Promise<Answer> {
  return compressedFile('openapi.json', 'application/json');
}

const ICON_BYTES = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#2563eb" d="M1 8h4v7H1zm5-7h4v14H6zm5 4h4v10h-4z"/></svg>',
);

export function runFavicon(): Answer {
  return { contentType: 'image/svg+xml', body: ICON_BYTES, cacheControl: CACHED };
}

/** The documentation page: Swagger UI, only from this server. */
export async function runDocs({ call }: AnyRequest): Promise<Answer> {
  return withoutSlash(call) ?? htmlPage(await compressed('explorer.html'), EXPLORER_POLICY);
}

function htmlPage(body: Uint8Array, policy: readonly string[]): Answer {
  return {
    contentType: 'text/html; charset=utf-8',
    body,
    cacheControl: CACHED,
    headers: ['Content-Security-Policy', policy.join('; '), 'Referrer-Policy', 'same-origin'],
  };
}

/** The redirect of /docs/guide/ to /docs/guide: relative links mean other paths there. Undefined for paths that end in no slash. */
function withoutSlash({ url }: Pick<AnyRequest['call'], 'url'>): Answer | undefined {
  const name = /([^/]+)\/$/.exec(url.split('?', 1)[0]!)?.[1];
  if (name === undefined) return undefined;
  return { status: 308, contentType: 'text/plain; charset=utf-8', body: '', headers: ['Location', `../${name}`] };
}

export async function runGuide({ call }: AnyRequest): Promise<Answer> {
  return withoutSlash(call) ?? htmlPage(await readOnce(guideFile('index.html')), PAGE_POLICY);
}

export async function runGuidePage(request: AnyRequest): Promise<Answer> {
  const { call, directory } = request;
  const { page = '' } = request.path;
  const isMarkdown = page.endsWith('.md');
  const body = GUIDE_PAGE.test(page) ? await readGuideFile(isMarkdown ? page : `${page}.html`) : undefined;
  if (!body) {
    const wanted = { method: call.method, path: call.url.split('?', 1)[0]!, accept: call.headers.accept };
    const notFound = pageForBrowsers(wanted, directory.serves('consolePage'));
    if (notFound) return notFound;
    const expected = 'a page that /docs/guide links to';
    throw new GatewayError('NOT_FOUND', `no such page of the guide: ${page}`, { parameter: 'page', expected });
  }
  if (isMarkdown) return { contentType: 'text/markdown; charset=utf-8', body, cacheControl: CACHED };
  return withoutSlash(call) ?? htmlPage(body, PAGE_POLICY);
}

/** A file of the guide, which the build writes; undefined if there is none. The name is the caller's. */
export async function readGuideFile(name: string): Promise<Uint8Array | undefined> {
  return ifThere(readOnce(guideFile(name)));
}

function guideFile(name: string): string {
  return built(`guide/${name}`);
}

function built(name: string): string {
  return fileURLToPath(new URL(`../../../dist/${name}`, import.meta.url));
}

/** The files of the pages; of Swagger UI only those that it needs. */
export async function runDocsFile({ path: { file } }: AnyRequest): Promise<Answer> {
  switch (file) {
    case 'explorer.css':
    case 'guide.css':
      return { contentType: CSS, body: await readOnce(guideFile(file)), cacheControl: CACHED };
    case 'start.js':
    case 'swagger-ui-bundle.js':
      return compressedFile(file, 'text/javascript; charset=utf-8');
    case 'swagger-ui.css':
      return compressedFile(file, CSS);
    default:
      throw new GatewayError('NOT_FOUND', `no such file: /docs/${file ?? ''}`, { parameter: 'file' });
  }
}

async function compressedFile(file: string, contentType: string): Promise<Answer> {
  return { contentType, body: await compressed(file), cacheControl: CACHED };
}

/** Files that are there compressed only. */
function compressed(file: string): Promise<Uint8Array> {
  return readOnce(built(`explorer/${file}.br`), inflated);
}

async function inflated(file: string): Promise<Uint8Array> {
  const coded = await readFile(file);
  const bytes = await promisify(brotliDecompress)(coded);
  keepCompressed(bytes, 'br', coded);
  return bytes;
}
