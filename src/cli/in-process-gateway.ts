import { realpath, stat } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { Readable, type Duplex } from 'node:stream';
import os from 'node:os';
import { loadConfig, type Config, type ConfigInputs } from '../config/index.js';
import { Gateway } from '../gateway/gateway.js';
import { createLog } from '../log/index.js';
import { systemClock } from '../pmapi/index.js';
import { findArchiveFiles } from '../sources/archive/node/index.js';
import { archiveOfFile } from '../sources/archive/index.js';

/** A gateway within this process that serves this process only: it does not listen. */
export interface InProcessGateway {
  /** Like the platform's fetch(), for any host in the URL. */
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

/**
 * Serves archives by path, wherever they are: `/var/log/pcp/pmlogger/web1/20261120`, several separated by commas, or a directory of
 * archives; and none beside them. Unreadable archives fail when they are used. Besides the shipped derived metrics there is nothing else, and
 * nothing is written. `archive`: their names in the gateway, separated by commas in the given order.
 */
export async function serveArchives(archive: string): Promise<InProcessGateway & { readonly archive: string }> {
  const paths = archive.split(',').map((one) => path.resolve(one.trim()));
  const isDirectory = paths.length === 1 && (await stat(paths[0]!).catch(() => undefined))?.isDirectory() === true;
  const roots = isDirectory
    ? paths
    : await Promise.all(paths.map((one) => archiveRoot(one).catch(() => path.dirname(one))));
  const names = paths.map((one, i) => path.basename(roots[i] === path.dirname(one) ? one : roots[i]!));
  const served = await serveHere(archivesOnly(roots, { 'console.enabled': 'false' }));
  return { ...served, archive: isDirectory ? '.' : names.join(',') };
}

/** Serves a live host, without derived metrics. */
export function serveHost(hostspec: string): Promise<InProcessGateway> {
  return serveHere(
    archivesOnly([], { 'hosts.allow': hostspec, 'derived.shipped': 'false', 'console.enabled': 'false' }),
  );
}

/** Serves by a configuration, to this process only. */
export async function serveHere(config: Config): Promise<InProcessGateway> {
  const log = await createLog('silent', systemClock, { write: () => undefined });
  const gateway = await Gateway.create({ config, log });
  return {
    fetch: (input, init) => fetchOver(() => gateway.connect(), new Request(input, init)),
    close: () => gateway.close(),
  };
}

/** The root that serves an archive alone: its base name, behind links. Throws a PmError if there is no archive. */
export async function archiveRoot(file: string): Promise<string> {
  const { base, meta } = await findArchiveFiles(file);
  return archiveOfFile(await realpath(meta.path)) ?? base;
}

/** The configuration of a gateway that has the archives of some roots and nothing else, and writes nothing. */
export function archivesOnly(roots: readonly string[], flags: ConfigInputs['flags'] = {}): Config {
  const nowhere = path.join(os.tmpdir(), `pmgate-${process.pid}-no-state`);
  return loadConfig({
    flags: {
      'archives.roots': roots.join(','),
      'derived.stateFile': path.join(nowhere, 'derived.json'),
      'state.directory': nowhere,
      'record.enabled': 'false',
      'contexts.remember': '',
      'local.collector': 'false',
      'local.source': 'pmcd',
      ...flags,
    },
  });
}

/** One request over its own connection. Rejects with the signal's reason when the request's signal is aborted. */
async function fetchOver(connect: () => Duplex, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
  return new Promise((resolve, reject) => {
    const sent = http.request({
      createConnection: connect,
      method: request.method,
      path: pathname + search,
      headers: Object.fromEntries(request.headers),
      signal: request.signal,
    });
    sent.on('error', (error) => reject(request.signal.aborted ? (request.signal.reason as Error) : error));
    sent.on('response', (answered) => {
      const { statusCode = 500, rawHeaders } = answered;
      const headers = new Headers();
      for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!);
      const hasBody = statusCode !== 204 && statusCode !== 304 && request.method !== 'HEAD';
      const stream = hasBody ? (Readable.toWeb(answered) as ReadableStream<Uint8Array>) : null;
      resolve(new Response(stream, { status: statusCode, headers }));
    });
    sent.end(body);
  });
}
