/**
 * One gateway and one browser for all tests of the console: Chromium of PMGATE_CHROMIUM, or Debian's; with PMGATE_FIREFOX, that Firefox
 * (153 ESR emulates no colour scheme: tests that want one fail in it, the journeys do not).
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { chromium, firefox } from 'playwright-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { loadConfig } from '../../../../src/config/index.js';
import { Gateway } from '../../../../src/gateway/gateway.js';
import { createLog } from '../../../../src/log/log.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { freePort } from '../../../support/free-port.js';
import { neverBusy, PATIENT } from '../../../support/patience.js';

/** The browser that tests run in; undefined: there is none. */
export const CHROMIUM = [
  process.env.PMGATE_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((file) => file !== undefined && existsSync(file));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PATIENCE_MS = 120_000;
/** How often a page is looked at in which axe finds something. */
const LOOKS = 3;

/** Tries an expectation again until it holds: a page shows some things a moment later than others. Then, or after a minute, that is its outcome. */
export async function eventually(expectation: () => Promise<void>): Promise<void> {
  const lastMs = performance.now() + PATIENCE_MS / 2;
  for (;;) {
    try {
      await expectation();
      return;
    } catch (error) {
      if (performance.now() > lastMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Whether something is there soon: for what is tried again otherwise. */
function appears(locator: Locator): Promise<boolean> {
  return locator.waitFor({ timeout: 1000 }).then(
    () => true,
    () => false,
  );
}

/** Let a Firefox of Playwright's do without what it does not know: each page is to have a colour scheme. */
function forgiveSchemes(browser: Browser): void {
  interface Session {
    send(method: string, parameters: object): Promise<unknown>;
  }
  const { _connection: connection } = browser as unknown as {
    readonly _connection: { toImpl(of: Browser): { readonly _browserSession: Session } };
  };
  const session = connection.toImpl(browser)._browserSession;
  const send = session.send.bind(session);
  session.send = (method, parameters) =>
    send(method, parameters).catch((error: unknown) => {
      if (method !== 'emulation.setMediaFeaturesOverride') throw error;
    });
}

/** A gateway, a browser, and the page that a test looks at. */
export class ConsoleHarness {
  page!: Page;
  base = '';
  gateway!: Gateway;
  browser!: Browser;
  /** A directory of its own: archives, as in test/fixtures/archives, and the gateway's state. */
  readonly directory = mkdtempSync(path.join(os.tmpdir(), 'pmgate-console-'));
  #port = 0;
  #context: BrowserContext | undefined;
  /** What the page complains of: messages, violations of its policy, requests to elsewhere. */
  #complaints: string[] = [];
  #expected: RegExp[] = [];

  /** Bundle the page as its sources are now, start the gateway and the browser. */
  async start(): Promise<void> {
    execFileSync(process.execPath, ['config/tooling/build-console.js']);
    cpSync('test/fixtures/archives', this.archives, { recursive: true });
    await this.startGateway();
    // Chromium's sandbox does not work for root.
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const other = process.env.PMGATE_FIREFOX;
    if (other === undefined) {
      this.browser = await chromium.launch({ executablePath: CHROMIUM!, args });
    } else {
      this.browser = await firefox.launch({ executablePath: other, channel: 'moz-firefox' });
      forgiveSchemes(this.browser);
    }
  }

  /** The archives of the gateway, which a test may change. */
  get archives(): string {
    return path.join(this.directory, 'archives');
  }

  /** Start a gateway, at the port of the one before if there was one. @param settings beside the usual ones */
  async startGateway(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const log = await createLog('error', new FakeClock(), { write: () => undefined });
    neverBusy();
    // A port that nobody takes while there is no gateway.
    this.#port ||= await freePort();
    const environment = {
      PMGATE_LISTEN_PORT: String(this.#port),
      PMGATE_LOCAL_SOURCE: 'embedded',
      PMGATE_ARCHIVES_ROOTS: this.archives,
      PMGATE_STATE_DIRECTORY: path.join(this.directory, 'state'),
      ...PATIENT,
      ...settings,
    };
    this.gateway = await Gateway.create({ config: loadConfig({ environment }), log });
    await this.gateway.listen();
    this.base = `http://127.0.0.1:${this.#port}`;
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.gateway.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** A page of a profile of its own. */
  async newPage(): Promise<void> {
    this.#complaints = [];
    this.#expected = [];
    this.#context = await this.browser.newContext({ viewport: { width: 1200, height: 800 } });
    this.page = await this.#context.newPage();
    this.page.setDefaultTimeout(PATIENCE_MS);
    this.page.on('pageerror', ({ message }) => this.#complaints.push(message));
    this.page.on('console', (message) => {
      // A gateway that is busy says 503, and the page asks again; one may be without a feature.
      const isExpected = message.text().includes('status of 503') || message.location().url.includes('/diagnosis?');
      if (!isExpected) {
        this.#complaints.push(`${message.text()} ${message.location().url}`);
      }
    });
    this.page.on('request', (request) => {
      if (!request.url().startsWith(`${this.base}/`) && !request.url().startsWith('data:')) {
        this.#complaints.push(request.url());
      }
    });
  }

  /** Close the page; what it complained of and was not expected. */
  async closePage(): Promise<readonly string[]> {
    await this.#context?.close();
    return this.#complaints.filter((text) => !this.#expected.some((pattern) => pattern.test(text)));
  }

  /** Chromium itself tells the console of requests that failed; take what a test expects, also of requests still under way. */
  expectComplaints(pattern: RegExp): void {
    this.#expected.push(pattern);
  }

  async open(address: string): Promise<void> {
    await this.page.goto(`${this.base}/console/${address}`);
  }

  /**
   * Drag over the first chart, from one share of its width to another, until `sign` is there: while lanes get their values they move,
   * and a drag may miss.
   */
  async dragUntil(sign: Locator, [from, to]: readonly [number, number]): Promise<void> {
    do {
      const lane = await this.page.locator('.lane:not([hidden]) .pointer').first().boundingBox();
      if (!lane) continue;
      const y = lane.y + lane.height / 2;
      await this.page.mouse.move(lane.x + lane.width * from, y);
      await this.page.mouse.down();
      await this.page.mouse.move(lane.x + lane.width * to, y, { steps: 4 });
      await this.page.mouse.up();
    } while (!(await appears(sign)));
  }

  /** The width of the page in a window of some width, which is the same once it fits. */
  async widthAt(width: number): Promise<number> {
    await this.page.setViewportSize({ width, height: 800 });
    const look = (): Promise<number> => this.page.evaluate('document.documentElement.scrollWidth');
    await eventually(async () => expect(await look()).toBe(width)).catch(() => undefined);
    return look();
  }

  /** How much of the page moved by itself: the worst five seconds, as everybody counts it, since a slow machine takes longer and values go on to change. */
  async layoutShift(): Promise<number> {
    const { worst, moved } = await this.page.evaluate<{ worst: number; moved: readonly string[] }>(`
      new Promise((resolve) => new PerformanceObserver((list) => {
        let [worst, sum, first, last, moved] = [0, 0, 0, -Infinity, []];
        for (const { value, startTime, sources } of list.getEntries()) {
          if (startTime - last > 1000 || startTime - first > 5000) [sum, first] = [0, startTime];
          last = startTime;
          worst = Math.max(worst, (sum += value));
          const [{ node, previousRect: from, currentRect: to }] = sources;
          moved.push([value.toFixed(3), (node?.outerHTML ?? node?.textContent)?.slice(0, 90), from.x, from.y, from.height, to.x, to.y, to.height].join(' '));
        }
        resolve({ worst, moved });
      }).observe({ type: 'layout-shift', buffered: true }) ??
        requestAnimationFrame(() => requestAnimationFrame(() => resolve({ worst: 0, moved: [] }))))`);
    if (worst > 0.02) process.stderr.write(`moved by ${worst}:\n${moved.join('\n')}\n`);
    return worst;
  }

  /** Taps a key in the page: on a busy machine, a tap of the browser's driver is long, and `p` is another thing when it is held. */
  tap(key: string): Promise<unknown> {
    return this.page.evaluate(`for (const type of ['keydown', 'keyup'])
      document.body.dispatchEvent(new KeyboardEvent(type, { key: ${JSON.stringify(key)}, bubbles: true, cancelable: true }))`);
  }

  /** The first of the options that are offered, once it is of this name: the one that keys take. */
  firstOption(name: string | RegExp): Locator {
    return this.page.locator('[role=option]:first-child').and(this.page.getByRole('option', { name })).first();
  }

  /** What axe finds on the page once nothing in it moves, by all rules or one of them, perhaps in a part of it; looked at again if there is anything, as a page goes on. */
  async violations(rule?: string, within = 'html'): Promise<readonly string[]> {
    let found = await this.#violations(rule, within);
    for (let look = 1; look < LOOKS && found.length > 0; look++) found = await this.#violations(rule, within);
    return found;
  }

  async #violations(rule: string | undefined, within: string): Promise<readonly string[]> {
    await this.page.waitForLoadState();
    // Colours may change slowly.
    await this.page.evaluate(`(async () => {
      const moves = ({ playState, effect }) => playState === 'running' && effect?.getTiming().iterations !== Infinity;
      while (document.getAnimations().some(moves)) await new Promise(requestAnimationFrame);
    })()`);
    const found = await this.page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
      `${AXE};axe.run(${JSON.stringify(within)}, ${rule === undefined ? '{}' : JSON.stringify({ runOnly: [rule] })}).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))`,
    );
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`);
  }
}
