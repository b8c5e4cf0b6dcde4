import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createPmgateClient } from '../client/index.js';
import { Directories, findArchives } from '../sources/archive/node/index.js';
import { filesOf, UnpackError } from '../sources/archive/index.js';
import type { CommandLine } from './command-line.js';
import { archivesOnly, serveHere } from './in-process-gateway.js';

const packed = promisify(gzip);
/** Where the build leaves room in the page. */
const ROOM = '<!-- archives -->';
/** Browsers open larger pages slowly, or not at all. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Writes the console as one page that has the archives below some roots inside, or what they have of a window of time. Throws an
 * {@link UnpackError} if that is too much, and what reading, writing and the gateway say.
 */
export async function writeHtml(
  roots: readonly string[],
  { html, start, finish }: CommandLine & { kind: 'open' },
): Promise<void> {
  const target = html!;
  const parts: string[] = [];
  let size = 0;
  const files = start === undefined && finish === undefined ? wholeFiles(roots) : windowsOf(roots, { start, finish });
  for await (const [name, bytes] of files) {
    requireFew((size += bytes.length));
    const attribute = name.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    parts.push(`<script type="text/plain" data-file="${attribute}">${bytes.toString('base64')}</script>\n`);
  }
  const page = await readFile(new URL('../../dist/console/viewer.html', import.meta.url), 'utf8').catch(() => {
    throw new UnpackError('the console was not built: npm run build');
  });
  const [before, after] = page.split(ROOM) as [string, string];
  await writeFile(target, [before, ...parts, after]);
  process.stdout.write(`${target}: ${(await stat(target)).size} bytes; it needs no gateway\n`);
}

function requireFew(bytes: number): void {
  if (bytes <= MOST_BYTES) return;
  throw new UnpackError(`a page can have ${MOST_BYTES} bytes of archives: choose a window with --start and --finish`);
}

/** The files of archives, compressed, and their names. */
async function* wholeFiles(roots: readonly string[]): AsyncGenerator<readonly [string, Buffer], void> {
  for (const { name, files } of await findArchives(roots, new Directories())) {
    for (const { path: file, compression } of filesOf(files)) {
      // What is read whole, too, before it is compressed.
      requireFew((await stat(file)).size);
      const bytes = await readFile(file);
      const own = path.posix.join(path.posix.dirname(name), path.basename(file));
      yield compression === undefined ? [`${own}.gz`, await packed(bytes)] : [own, bytes];
    }
  }
}

/** What archives have of a window, each as a compressed tar. Those without samples there are left out. */
async function* windowsOf(
  roots: readonly string[],
  window: { readonly start: string | undefined; readonly finish: string | undefined },
): AsyncGenerator<readonly [string, Buffer], void> {
  const gateway = await serveHere(archivesOnly(roots, { 'console.enabled': 'false', 'derived.shipped': 'false' }));
  try {
    const client = createPmgateClient('http://localhost', { fetch: gateway.fetch });
    let failure: Error | undefined;
    let count = 0;
    for (const { name, error } of await client.archives()) {
      if (error) continue;
      const given = Object.entries({ ...window, archive: name, prefix: '', format: 'archive' });
      const query = new URLSearchParams(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
      const answer = await gateway.fetch(`http://localhost/pmapi/fetch?${query.toString()}`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (answer.ok) yield [`${name}.tar.gz`, await packed(bytes)];
      else {
        const { message, parameter, expected } = JSON.parse(bytes.toString()) as Record<string, string | undefined>;
        const option = parameter === undefined ? '' : `--${parameter}: `;
        failure = new UnpackError(`${name}: ${option}${message}${option && `: expected ${expected}`}`);
      }
      count += answer.ok ? 1 : 0;
    }
    if (count === 0) throw failure ?? new UnpackError('no archive can be read');
  } finally {
    await gateway.close();
  }
}
