import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundledProgram } from './support/bundled-program.js';
import { type Run, runProgram } from './support/run-program.js';
import { until } from './support/until.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const DIRECTORY = temporaryDirectory().path;

function run(args: readonly string[], environment: Record<string, string> = {}): Run {
  return runProgram(args, { PMGATE_STATE_DIRECTORY: DIRECTORY, ...environment });
}

async function inShell(script: string, environment: Record<string, string>): Promise<string> {
  const child = spawn('bash', ['-c', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  return stdout;
}

describe('the program', () => {
  it('prints to readers that have gone and to full disks without a stack', async () => {
    const script = `set -o pipefail
    for words in --help --version; do
      node ${bundledProgram()} $words 2>&1 >/dev/full | grep -c ENOSPC
      node ${bundledProgram()} $words 2>&1 | true
      echo $?
    done`;
    expect(await inShell(script, {})).toBe('1\n0\n1\n0\n');
  });

  it('prints its help and its version', async () => {
    const [help, version] = await Promise.all([run(['--help']).exited, run(['--version']).exited]);
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: pmgate'), stderr: '' });
    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^pmgate \d+\.\d+\.\d+\n$/) });
  });

  it('ends with 2 for a flag that it does not know, and for a configuration that cannot be used', async () => {
    const file = path.join(DIRECTORY, 'bad.yaml');
    writeFileSync(file, 'listen: { port: -1 }\nnonsense: 1\n');
    const [flag, config] = await Promise.all([run(['--colour']).exited, run(['--config', file]).exited]);
    expect(flag).toMatchObject({ code: 2, stderr: expect.stringContaining('--colour') });
    expect(config.code).toBe(2);
    expect(config.stderr).toContain(`${file}:1: listen.port: must be >= 0`);
    expect(config.stderr).toContain(`${file}:2: nonsense: unknown option`);
  });

  it('says what is wrong with a path, a port and a time for archives', async () => {
    const file = path.join(DIRECTORY, 'notes.txt');
    writeFileSync(file, 'no archive');
    const archive = 'test/fixtures/archives/live-v3';
    const html = path.join(DIRECTORY, 'out.html');
    const [foreign, port, time] = await Promise.all([
      run([file]).exited,
      run([archive, '--port', 'abc']).exited,
      run([archive, '--html', html, '--start', 'nonsense']).exited,
    ]);
    expect(foreign).toMatchObject({ code: 1, stderr: `pmgate: ${file} is no PCP archive, no directory and no tar\n` });
    expect(port).toMatchObject({ code: 2, stderr: 'pmgate: --port: listen.port: must be integer\n' });
    expect(time.code).toBe(1);
    expect(time.stderr).toMatch(/^pmgate: live-v3: --start: unexpected value: expected epoch seconds, .*\n$/);
  });

  it('serves, reads its configuration again on SIGHUP, and stops on SIGTERM', async () => {
    const file = path.join(DIRECTORY, 'my.yaml');
    writeFileSync(file, 'listen: { port: 0 }\n');
    const program = run(['--config', file]);
    await program.logged('listens on http://127.0.0.1:');
    await program.logged('"state":"/');
    writeFileSync(file, 'listen: { port: 0 }\nlog: { level: verbose }\n');
    program.child.kill('SIGHUP');
    await program.logged('keeping the previous one');
    writeFileSync(file, 'listen: { port: 0 }\nlog: { level: debug }\n');
    program.child.kill('SIGHUP');
    await program.logged('configuration reloaded');
    program.child.kill('SIGTERM');
    const { code, stderr } = await program.exited;
    expect(code).toBe(0);
    expect(stderr).toContain('"msg":"stopped"');
    expect(
      stderr
        .trim()
        .split('\n')
        .every((line) => line.startsWith('{')),
    ).toBe(true);
  });

  it('ends with 1 when it stops serving without a signal', async () => {
    const preload = path.join(DIRECTORY, 'close.mjs');
    writeFileSync(
      preload,
      `import http from 'node:http';
const { listen } = http.Server.prototype;
http.Server.prototype.listen = function (...args) {
  return listen.apply(this.once('listening', () => setImmediate(() => this.close())), args);
};
`,
    );
    const { code, stderr } = await run(['--port', '0'], { NODE_OPTIONS: `--import ${preload}` }).exited;
    expect(stderr).toContain('the gateway has stopped serving');
    expect(code).toBe(1);
  });

  it('serves, and answers its own sub-commands in another process', async () => {
    const program = run(['serve', '--port', '0', '--log-level', 'info'], { PMGATE_LOCAL_SOURCE: 'embedded' });
    await program.logged('listens on http://127.0.0.1:');
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(program.stderr())![0];
    const environment = { PMGATE_URL: url };
    const [fetched, partial, unknown, piped] = await Promise.all([
      run(['fetch', 'kernel.all.load', '-o', 'csv'], environment).exited,
      run(['--url', url, 'fetch', 'kernel.all.load', 'no.such', '-o', 'json']).exited,
      run(['fetch', 'no.such'], environment).exited,
      inShell(`node ${bundledProgram()} metric -o ndjson | head -n 1; echo "\${PIPESTATUS[0]}"`, environment),
    ]);
    expect(fetched).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('kernel.all.load,15,15 minute,'),
    });
    expect(partial).toMatchObject({ code: 4, stderr: 'pmgate: no.such: Unknown metric name\n' });
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(piped).toMatch(/^\{"name":.*\}\n0\n$/);
    program.child.kill('SIGTERM');
    expect((await program.exited).code).toBe(0);
    const gone = await run(['fetch', 'kernel.all.load'], environment).exited;
    expect(gone).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('cannot reach the gateway') });
  });

  it('ends a stream with 0 at Ctrl-C', async () => {
    const program = run(['--port', '0'], { PMGATE_LOCAL_SOURCE: 'embedded' });
    await program.logged('listens on http://127.0.0.1:');
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(program.stderr())![0];
    const stream = run(['--url', url, 'stream', 'kernel.all.load', '-o', 'json']);
    await stream.printed('1 minute');
    stream.child.kill('SIGINT');
    const { code, stdout } = await stream.exited;
    expect({ code, samples: (JSON.parse(stdout) as unknown[]).length >= 1 }).toEqual({ code: 0, samples: true });
    program.child.kill('SIGTERM');
    await program.exited;
  });

  it('checks a configuration without serving: places, definitions, exit code', async () => {
    const [file, definitions] = [path.join(DIRECTORY, 'checked.yaml'), path.join(DIRECTORY, 'checked.conf')];
    writeFileSync(definitions, 'good.one = 1\nbad.one = (1\n');
    writeFileSync(file, `listen:\n  port: 0\nderived:\n  files: [${definitions}]\n`);
    const wrong = path.join(DIRECTORY, 'wrong.yaml');
    writeFileSync(wrong, 'log:\n  level: loud\nhosts:\n  allow: ["10.0.0.0/99"]\n');
    const [shipped, checked, bad] = await Promise.all([
      run(['check-config']).exited,
      run(['check-config', file]).exited,
      run(['check-config', wrong]).exited,
    ]);
    expect(shipped).toMatchObject({ code: 0, stdout: expect.stringMatching(/config\/pmgate\.yaml: good\n$/) });
    expect(checked).toMatchObject({ code: 2, stderr: expect.stringContaining(`${definitions}:2: `) });
    expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining(`${wrong}:2: log.level: must be one of`) });
  });

  it('ends with 1 and one line without a stack when it cannot listen', async () => {
    const environment = { PMGATE_ACCESS_ANONYMOUS_FROM: 'anywhere' };
    const first = run(['--port', '0']);
    await first.logged('listens on http://127.0.0.1:');
    const port = /127\.0\.0\.1:(\d+)/.exec(first.stderr())![1]!;
    const [second, elsewhere] = await Promise.all([
      run(['--port', port]).exited,
      run(['--host', '203.0.113.1', '--port', '0'], environment).exited,
    ]);
    first.child.kill('SIGTERM');
    await first.exited;
    const lines = (text: string): unknown[] =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
    const line = (msg: string): object => ({ level: 50, time: expect.any(String), msg });
    expect(second.code).toBe(1);
    expect(lines(second.stderr)).toEqual([line(`port ${port} is in use: is pmgate already running?`)]);
    expect(elsewhere.code).toBe(1);
    expect(lines(elsewhere.stderr)).toEqual([line('cannot listen on 203.0.113.1: this machine has no such address')]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('leaves nothing of a tar behind after %s', async (signal) => {
    const place = mkdtempSync(path.join(DIRECTORY, 'tar-'));
    const temporary = path.join(place, 'tmp');
    mkdirSync(temporary);
    // Two of one name. And one that takes seconds to read: a member of 7 GB, which takes no room.
    const script = `mkdir a b; tar cf a/sos.tar -C "$0" live-v3.0 live-v3.index live-v3.meta; cp a/sos.tar b
    truncate -s 7G log; tar cf - log 2>/dev/null | head -c 512 >large.tar; truncate -s 7G large.tar`;
    execFileSync('sh', ['-c', script, path.resolve('test/fixtures/archives')], { cwd: place });
    const opening = run([path.join(place, 'large.tar')], { TMPDIR: temporary });
    await until(() => readdirSync(temporary).length > 0);
    opening.child.kill(signal);
    expect(await opening.exited).toMatchObject({ code: 130, stdout: '', stderr: '' });
    expect(readdirSync(temporary)).toEqual([]);

    const serving = run([`${place}/a/sos.tar`, `${place}/b/sos.tar`], { TMPDIR: temporary });
    await serving.printed('Ctrl-C stops it');
    expect(readdirSync(path.join(temporary, readdirSync(temporary)[0]!))).toEqual(['sos', 'sos-2']);
    serving.child.kill(signal);
    const { code, stdout } = await serving.exited;
    expect(code).toBe(signal === 'SIGHUP' ? 130 : 0);
    expect(stdout).toMatch(/sos-2\/live-v3 .*2026-11-20 [^]*sos\/live-v3 .*2026-11-20 /);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
