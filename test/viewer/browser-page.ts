import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';

/** A browser of this machine; undefined where it is not installed. */
export interface Browser {
  readonly name: string;
  readonly file: string | undefined;
  /** Arguments for a new profile. */
  readonly args: (profile: string) => readonly string[];
}

const installed = (...files: readonly (string | undefined)[]) =>
  files.find((file) => file !== undefined && existsSync(file));
/** What asks the Internet for things, or its user. */
const FIREFOX_PREFERENCES = {
  'app.normandy.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.systemAddon.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
};

export const BROWSERS: readonly Browser[] = [
  {
    name: 'Chromium',
    file: installed(process.env.PMGATE_CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome'),
    args: (profile) => [
      '--headless=new',
      ...['--no-first-run', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
      // Chromium's sandbox does not work for root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      `--user-data-dir=${profile}`,
    ],
  },
  {
    name: 'Firefox',
    file: installed(process.env.PMGATE_FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'),
    args: (profile) => {
      const preferences = Object.entries(FIREFOX_PREFERENCES).map(
        ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
      );
      writeFileSync(path.join(profile, 'user.js'), preferences.join(''));
      return ['--headless', '--no-remote', '--profile', profile];
    },
  },
];

/** A program as a script for browsers, whose exports are `program`; fails where it wants a module of Node. */
export async function bundledFor(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.resolve(file)],
    bundle: true,
    write: false,
    minify: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'program',
    logLevel: 'silent',
  });
  return outputFiles[0]!.text;
}

/** The page starts the worker, and says so if that ends. */
const PAGE = `<!doctype html><title>worker</title><script>
const worker = new Worker('/worker.js');
worker.onerror = ({ message }) => fetch('/failed', { method: 'POST', body: message });
</script>`;

/** The worker takes one call after the other; files are where their URL is. */
const CALLS = `
const given = async (value) => {
  if (Array.isArray(value)) return Promise.all(value.map(given));
  if (value === null || typeof value !== 'object') return value;
  if (typeof value.blobUrl === 'string') return (await fetch(value.blobUrl)).blob();
  const entries = Object.entries(value).map(async ([name, one]) => [name, await given(one)]);
  return Object.fromEntries(await Promise.all(entries));
};
(async () => {
  for (;;) {
    const { name, args } = await (await fetch('/call')).json();
    const done = await Promise.resolve().then(async () => program[name](...(await given(args)))).then(
      (result) => ({ result }),
      (error) => ({ error: String(error) + '\\n' + (error && error.stack) }),
    );
    await fetch('/done', { method: 'POST', body: JSON.stringify(done) });
  }
})();`;

interface Call {
  readonly request: { readonly name: string; readonly args: unknown };
  readonly settle: (done: { readonly result?: unknown; readonly error?: string }) => void;
}

/**
 * A page in a browser, whose worker runs the functions of a program: it asks a server here what to do, and posts what comes of it, so that no
 * protocol of a browser's own is needed.
 */
export class BrowserPage {
  readonly #server: Server;
  readonly #script: string;
  readonly #profile = mkdtempSync(path.join(os.tmpdir(), 'pmgate-browser-'));
  readonly #blobs: Blob[] = [];
  #browser: ChildProcess | undefined;
  #next: Call | undefined;
  #current: Call | undefined;
  #waiting: ServerResponse | undefined;

  private constructor(script: string) {
    this.#script = script;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** @param script see {@link bundledFor} */
  static async open({ file, args }: Browser, script: string): Promise<BrowserPage> {
    const page = new BrowserPage(script);
    page.#server.listen(0, '127.0.0.1');
    await once(page.#server, 'listening');
    const url = `http://127.0.0.1:${(page.#server.address() as AddressInfo).port}/`;
    page.#browser = spawn(file!, [...args(page.#profile), url], {
      stdio: 'ignore',
      // With a group of its own, in which all of its processes are.
      detached: true,
      env: { ...process.env, HOME: page.#profile },
    });
    page.#browser.once('exit', () => page.#fail('the browser has ended'));
    return page;
  }

  /** The process of the browser, which has further ones below it. */
  get pid(): number {
    return this.#browser!.pid!;
  }

  /** What a function of the program returns in the worker; its arguments may have Blobs in them. One at a time. */
  async call<T>(name: string, ...args: readonly unknown[]): Promise<T> {
    this.#blobs.length = 0;
    const { result, error } = await new Promise<{ readonly result?: unknown; readonly error?: string }>((settle) => {
      this.#next = { request: { name, args: this.#served(args) }, settle };
      this.#send();
    });
    if (error !== undefined) throw new Error(error);
    return result as T;
  }

  async close(): Promise<void> {
    const browser = this.#browser;
    if (browser?.pid !== undefined && browser.exitCode === null && browser.signalCode === null) {
      const exited = once(browser, 'exit');
      process.kill(-browser.pid, 'SIGKILL');
      await exited;
    }
    this.#server.closeAllConnections();
    this.#server.close();
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 10 });
  }

  #served(value: unknown): unknown {
    if (value instanceof Blob) return { blobUrl: `/blob/${this.#blobs.push(value) - 1}` };
    if (Array.isArray(value)) return value.map((one) => this.#served(one));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#served(one)]));
  }

  #send(): void {
    if (!this.#next || !this.#waiting) return;
    this.#current = this.#next;
    this.#waiting.end(JSON.stringify(this.#current.request));
    this.#next = this.#waiting = undefined;
  }

  #fail(error: string): void {
    (this.#current ?? this.#next)?.settle({ error });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, kind = '', number] = request.url!.split('/');
    switch (kind) {
      case '':
        response.setHeader('content-type', 'text/html').end(PAGE);
        break;
      case 'worker.js':
        response.setHeader('content-type', 'text/javascript').end(`${this.#script}\n${CALLS}`);
        break;
      case 'blob':
        for await (const piece of this.#blobs[Number(number)]!.stream()) response.write(piece);
        response.end();
        break;
      case 'call':
        this.#waiting = response;
        this.#send();
        break;
      case 'done': {
        const call = this.#current;
        const body = await text(request);
        response.end();
        call?.settle(JSON.parse(body) as object);
        break;
      }
      case 'failed':
        this.#fail(await text(request));
        response.end();
        break;
      default:
        response.writeHead(404).end();
    }
  }
}

async function text(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
