import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { CommandLine } from './command-line.js';
import { archiveRoot, archivesOnly } from './in-process-gateway.js';
import { listen, openPage, stopOnSignals } from './serve.js';
import { temporaryDirectory, unpackArchives } from './unpack.js';
import { ConfigError, type Config } from '../config/index.js';
import { Gateway } from '../gateway/gateway.js';
import { createLog } from '../log/index.js';
import { PmError, systemClock } from '../pmapi/index.js';
import { ENOENT, isTar, tarName, UnpackError } from '../sources/archive/index.js';
import { Directories, findArchives } from '../sources/archive/node/index.js';

const [EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED] = [1, 2, 130] as const;

/**
 * `pmgate PATH…`: serves archives to this machine until a signal stops it. Paths are those of an archive or one of its files, of a directory
 * below which archives are, or of a tar that holds some, as a sos report does: its archives are unpacked, and removed at the end. With
 * `html` nothing is served: a page with the archives inside is written.
 * @param list prints the archives of the gateway at a URL
 */
export async function openArchives(
  command: CommandLine & { kind: 'open' },
  list: (url: string) => Promise<void>,
): Promise<void> {
  const { paths, port, isPageOpened, html } = command;
  // Also while a tar is unpacked, and when the terminal is closed: what is unpacked goes when the process exits.
  const leave = (): never => process.exit(EXIT_INTERRUPTED);
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.on(signal, leave);
  let roots: readonly string[];
  let config: Config;
  try {
    // Before anything is unpacked.
    config = archivesOnly([], { 'listen.port': port ?? '0' });
    roots = await rootsOf(paths);
    if ((await findArchives(roots, new Directories())).length === 0)
      throw new UnpackError(`no PCP archives in ${paths.join(', ')}`);
    if (html !== undefined) {
      await (await import('./write-html.js')).writeHtml(roots, command);
      return;
    }
  } catch (error) {
    process.stderr.write(`pmgate: ${(error as Error).message}\n`);
    process.exitCode = error instanceof ConfigError ? EXIT_USAGE : EXIT_FAILED;
    return;
  }
  config = { ...config, archives: { ...config.archives, roots } };
  const log = await createLog('warn', systemClock);
  const gateway = await Gateway.create({ config, log });
  process.off('SIGINT', leave).off('SIGTERM', leave);
  stopOnSignals(gateway, log);
  const address = await listen(gateway, config, log);
  if (!address) return gateway.close();
  const url = `http://127.0.0.1:${address.port}`;
  await list(url);
  process.exitCode = 0;
  process.stdout.write(`\nOpen ${url}/console/archives in a browser. Ctrl-C stops it.\n`);
  if (isPageOpened) openPage(`${url}/console/archives`);
}

/** The directories to serve. Throws an {@link UnpackError}, a PmError, or the error of the file system. */
async function rootsOf(paths: readonly string[]): Promise<readonly string[]> {
  const roots = new Set<string>();
  let unpacked: string | undefined;
  for (const one of paths) {
    const file = path.resolve(one);
    const found = await stat(file).catch(() => undefined);
    if (found?.isDirectory()) roots.add(file);
    else if (found && isTar(file)) {
      unpacked ??= await temporaryDirectory();
      // Two reports may have one name, and files of the same names.
      let own = path.join(unpacked, tarName(path.basename(file)).name);
      while (existsSync(own)) own += '-2';
      const { files, bytes, refused } = await unpackArchives(file, own);
      const links = refused > 0 ? `; links left out: ${refused}` : '';
      process.stdout.write(`${one}: unpacked ${files} files, ${bytes} bytes${links}\n`);
      roots.add(unpacked);
    } else {
      // Or the base name of an archive, which no file has.
      const root = await archiveRoot(file).catch((error: unknown) => {
        const isForeign = found !== undefined && error instanceof PmError && error.pmErr === ENOENT;
        if (isForeign) throw new UnpackError(`${one} is no PCP archive, no directory and no tar`);
        throw error;
      });
      roots.add(root);
    }
  }
  return [...roots];
}
