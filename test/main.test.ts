import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const DIRECTORY = mkdtempSync(path.join(os.tmpdir(), 'pmgate-main-'));

interface Run {
  readonly child: ReturnType<typeof spawn>;
  readonly exited: Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Wait until a line of the log holds a text. */
  logged(text: string): Promise<void>;
}

/** The program as a process of its own, from its sources. */
function run(args: readonly string[], environment: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PMGATE_STATE_DIRECTORY: DIRECTORY, ...environment },
  });
  let [stdout, stderr] = ['', ''];
  const watchers = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    for (const look of watchers) look();
  });
  return {
    child,
    exited: new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr }))),
    logged: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!stderr.includes(text)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
  };
}

describe('the program', () => {
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

  it('serves, reads its configuration again on SIGHUP, and stops on SIGTERM', async () => {
    const file = path.join(DIRECTORY, 'my.yaml');
    writeFileSync(file, 'listen: { port: 0 }\n');
    const program = run(['--config', file]);
    await program.logged('listens on http://127.0.0.1:');
    writeFileSync(file, 'listen: { port: 0 }\nlog: { level: verbose }\n');
    program.child.kill('SIGHUP');
    await program.logged('the old one stays');
    writeFileSync(file, 'listen: { port: 0 }\nlog: { level: debug }\n');
    program.child.kill('SIGHUP');
    await program.logged('configuration read again');
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

  it('ends with 1 when it cannot listen', async () => {
    const { code, stderr } = await run(['--host', '203.0.113.1', '--port', '0']).exited;
    expect(code).toBe(1);
    expect(stderr).toContain('cannot listen on 203.0.113.1 port 0');
  });
});
