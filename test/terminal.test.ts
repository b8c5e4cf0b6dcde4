import { existsSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ALARMING, TerminalProcess } from './support/terminal-process.js';
import { PATIENT } from './support/patience.js';

/** The program as `npm run build` makes it. Another release of Node than this one's is tried with TEST_NODE. */
const PROGRAM = 'dist/pmgate.js';
const NODE = process.env.TEST_NODE ?? process.execPath;
const ENVIRONMENT = {
  ...PATIENT,
  PMGATE_STATE_DIRECTORY: mkdtempSync(path.join(os.tmpdir(), 'pmgate-terminal-')),
  PMGATE_LISTEN_PORT: '0',
  PMGATE_LOCAL_SOURCE: 'embedded',
};

describe('the built program on a terminal', () => {
  const running: TerminalProcess[] = [];
  const onTerminal = (words: string, environment: Record<string, string> = {}): TerminalProcess => {
    const command = new TerminalProcess(`exec ${NODE} ${PROGRAM} ${words}`, {
      env: { ...ENVIRONMENT, ...environment },
    });
    running.push(command);
    return command;
  };
  const listening = async (gateway: TerminalProcess): Promise<string> =>
    (await gateway.untilShown(/listens on (http:\/\/127\.0\.0\.1:\d+)/))[1]!;

  beforeAll(() => {
    if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing: npm run build`);
  });
  afterEach(async () => {
    for (const command of running.splice(0)) await command.end();
  });

  it('serves until Ctrl-C, and shows lines that people can read', async () => {
    const gateway = onTerminal('');
    const url = await listening(gateway);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    gateway.interrupt();
    const { code, shown } = await gateway.exited;
    expect(shown).not.toMatch(ALARMING);
    expect(shown).toMatch(/INFO.*pmgate \d/);
    expect(shown).toMatch(/INFO.*stopped/);
    expect(code).toBe(0);
  });

  it('answers its sub-commands, and ends a stream at Ctrl-C', async () => {
    const url = await listening(onTerminal(''));
    const fetched = await onTerminal('fetch kernel.all.load', { PMGATE_URL: url }).exited;
    expect(fetched.shown).not.toMatch(ALARMING);
    expect(fetched).toMatchObject({ code: 0, shown: expect.stringContaining('15 minute') });
    const stream = onTerminal('stream kernel.all.load', { PMGATE_URL: url });
    await stream.untilShown(/1 minute.*\r?\n.*\d\d:\d\d:\d\d/s);
    stream.interrupt();
    const { code, shown } = await stream.exited;
    expect(shown).not.toMatch(ALARMING);
    expect(code).toBe(0);
  });

  it('loads its documentation, which is the part that is read from files of packages', async () => {
    const url = await listening(onTerminal(''));
    const pages = ['/docs', '/docs/swagger-ui-bundle.js', '/docs/guide', '/docs/guide/api', '/docs/guide.css'];
    for (const page of [...pages, '/openapi.yaml', '/openapi.json']) {
      expect([page, (await fetch(url + page)).status]).toEqual([page, 200]);
    }
  });
});
