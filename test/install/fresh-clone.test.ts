/**
 * What somebody meets who has just cloned the repository (what is committed of it): the commands of README.md, on a
 * terminal. `npm ci` alone is what .ci/run begins with; without development packages it installs them, builds, and removes them again. NODE_RELEASES is a directory with further releases of Node, `RELEASE/bin/node` each; .ci/run makes it.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { freePort } from '../support/free-port.js';
import { PATIENT } from '../support/patience.js';
import { ALARMING, TerminalProcess } from '../support/terminal-process.js';

const run = promisify(execFile);
const releasesDirectory = process.env.NODE_RELEASES;
const releases = releasesDirectory === undefined ? [] : await readdir(releasesDirectory);

/** What npm says of options that this machine's user has set is none of ours, nor what it turns while it is slow. */
function ofOurs(shown: string): string {
  return stripVTControlCharacters(shown)
    .replaceAll(/^.*npm.*warn.*Unknown (user|env|global|builtin) config.*$/gim, '')
    .replaceAll(/[\u2800-\u28ff]/g, '');
}

describe('a fresh clone', () => {
  let directory: string;
  let clone: string;
  let port: number;
  let environment: Record<string, string>;
  const running: TerminalProcess[] = [];
  const onTerminal = (command: string, env: Record<string, string> = {}, cwd = clone): TerminalProcess => {
    const started = new TerminalProcess(command, { cwd, env: { ...environment, ...env } });
    running.push(started);
    return started;
  };
  /** Wait for a gateway, ask it whether it is well, and stop it as its user does. */
  const tryOut = async (gateway: TerminalProcess): Promise<void> => {
    await gateway.untilShown(/listens on/);
    const health = await fetch(`http://127.0.0.1:${port}/healthz`);
    const guide = await fetch(`http://127.0.0.1:${port}/docs/guide`);
    gateway.interrupt();
    const { code, shown } = await gateway.exited;
    expect(ofOurs(shown)).not.toMatch(ALARMING);
    expect([health.status, guide.status]).toEqual([200, 200]);
    expect([0, 130]).toContain(code);
  };

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'pmgate-clone-'));
    clone = path.join(directory, 'pmgate');
    await run('git', ['clone', '--quiet', process.cwd(), clone]);
    port = await freePort();
    environment = {
      ...PATIENT,
      PMGATE_STATE_DIRECTORY: path.join(directory, 'state'),
      PMGATE_LISTEN_PORT: String(port),
      PMGATE_URL: `http://127.0.0.1:${port}`,
      // The same packages are installed several times.
      npm_config_prefer_offline: 'true',
    };
  });
  afterEach(async () => {
    for (const command of running.splice(0)) await command.end();
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('serves after npm ci --omit=dev && npm start, until Ctrl-C, without the build tools', async () => {
    await tryOut(onTerminal('npm ci --omit=dev && npm start'));
    // Nothing is left to install: the program contains its packages.
    expect(await readdir(path.join(clone, 'node_modules')).catch(() => [])).not.toContain('typescript');
  });

  it('answers the shell, and tells in one line that it runs already', async () => {
    const gateway = onTerminal('npm start');
    await gateway.untilShown(/listens on/);
    const fetched = await onTerminal('npx pmgate fetch kernel.all.load').exited;
    expect(ofOurs(fetched.shown)).not.toMatch(ALARMING);
    expect(fetched).toMatchObject({ code: 0, shown: expect.stringContaining('15 minute') });
    const second = await onTerminal('npm start').exited;
    expect(second.code).not.toBe(0);
    expect(ofOurs(second.shown)).not.toMatch(ALARMING);
    // Its own line, behind npm's two about the script that it runs.
    const lines = ofOurs(second.shown)
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '' && !/^(> |npm )/.test(line));
    expect(lines).toEqual([expect.stringContaining(`port ${port} is in use: is pmgate already running?`)]);
  });

  (releases.length > 0 ? it.each(releases) : it.skip.each(['other releases']))('serves on Node %s', async (release) => {
    const bin = path.join(releasesDirectory!, release, 'bin');
    const { stdout } = await run(path.join(bin, 'node'), ['--version']);
    expect(stdout).toMatch(new RegExp(`^v${release}\\.`));
    await tryOut(onTerminal('npm start', { PATH: `${bin}:${process.env.PATH!}` }));
  });

  it('has no packages with scripts that nobody has decided on', async () => {
    const { allowScripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
      allowScripts: Record<string, boolean>;
    };
    const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
      packages: Record<string, { hasInstallScript?: true }>;
    };
    const scripted = Object.keys(packages).filter((name) => packages[name]!.hasInstallScript);
    expect(scripted.map((name) => name.replace(/^.*node_modules\//, '')).sort()).toEqual(
      Object.keys(allowScripts).sort(),
    );
  });

  it('can be installed from git', async () => {
    const project = await mkdtemp(path.join(directory, 'project-'));
    await writeFile(path.join(project, 'package.json'), '{ "private": true }');
    await run('npm', ['install', `git+file://${clone}`], { cwd: project });
    await tryOut(onTerminal('npx pmgate', {}, project));
    const client = "import { createPmgateClient } from 'pmgate/client'; console.log(typeof createPmgateClient);";
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', client], { cwd: project });
    expect(stdout).toBe('function\n');
  });
});
