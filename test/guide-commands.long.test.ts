import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { fencesOf, GUIDE } from './support/guide.js';
import { type RunningGateway, startGateway } from './support/whole-gateway.js';

const run = promisify(execFile);
/** Commands that are tested elsewhere: what starts, installs or tests pmgate, and what asks a host or a gateway set up otherwise. */
const ELSEWHERE =
  /npm (ci|start|test|run)|npx pmgate (--open|sosreport|passwd|token|stream|derive check)|podman|hostspec=web1|hostspec=10\.|Bearer|systemctl|redis-server|localhost:4510|^cp /m;

/** A gateway that has just started has nothing before the last five minutes, or only what an archive of a host with this one's name has. */
const NOTHING_TO_COMPARE = /the window 'before' is empty.*== exit 1|nothing could be compared.*== exit 5/s;

interface Block {
  readonly commands: string;
  /** What the page shows below, or beside, the commands. */
  readonly shows: string;
}

/** The blocks of commands in a page. Commands of a block with output begin with `$ `. */
function commandBlocks(page: string): readonly Block[] {
  const fences = fencesOf(page);
  return fences.flatMap(({ language, text }, i) => {
    if (language === 'sh') return [{ commands: text, shows: fences[i + 1]?.text ?? '' }];
    if (language !== 'console') return [];
    const lines = text.split('\n').filter((line) => line.startsWith('$ '));
    return lines.map((line) => ({ commands: line.slice(2), shows: text }));
  });
}

/** Run the program of the guide that exports a metric, until it has done so. */
async function startShop(directory: string): Promise<ChildProcess> {
  const page = GUIDE.find(({ file }) => file.endsWith('INSTRUMENTING.md'))!;
  const program = path.join(directory, 'shop.mjs');
  writeFileSync(program, fencesOf(page.text).find(({ language }) => language === 'js')!.text);
  mkdirSync(path.join(directory, 'mmv'));
  const child = spawn(process.execPath, [program], { env: { ...process.env, PCP_TMP_DIR: directory } });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return child;
}

describe('the commands of the guide', () => {
  let gateway: RunningGateway;
  let directory: string;
  let shop: ChildProcess;
  beforeAll(async () => {
    directory = mkdtempSync(path.join(os.tmpdir(), 'pmgate-commands-'));
    symlinkSync(path.resolve('test'), path.join(directory, 'test'));
    shop = await startShop(directory);
    gateway = await startGateway({
      PMGATE_STATE_DIRECTORY: directory,
      PMGATE_LOCAL_MMV_DIRECTORY: path.join(directory, 'mmv'),
      PMGATE_ARCHIVES_ROOTS: path.resolve('test/fixtures/archives'),
      PMGATE_RECORD_ENABLED: 'true',
    });
    // Pages show what was recorded: there has to be a sample.
    const recorded = await fetch(`${gateway.url}/pmapi/stream?names=pmgate.record.samples`);
    let seen = '';
    for await (const piece of recorded.body!.pipeThrough(new TextDecoderStream())) {
      seen += piece;
      if (/"value":[1-9]/.test(seen)) break;
    }
  });
  afterAll(async () => {
    shop.kill();
    await gateway.close();
  });

  it('are answered as its pages show', async () => {
    const blocks = GUIDE.flatMap(({ text }) => commandBlocks(text)).filter(({ commands }) => !ELSEWHERE.test(commands));
    expect(blocks.length).toBeGreaterThan(25);
    // One shell for all of them: later ones use variables of earlier ones. Streams end when their reader has seen enough.
    const script = blocks
      .map(
        ({ commands }, i) =>
          // A gateway refuses streams while the machine is busy with something else; clients try again.
          `echo "== ${i}"\n${commands.replace(/^curl -sN (.*)$/gm, 'curl -sNf --retry 9 $1 | head -n 3')}\necho "== exit $?"`,
      )
      .join('\n')
      .replaceAll('localhost:44322', `127.0.0.1:${gateway.port}`);
    const program = path.resolve('src/main.ts');
    const tsx = path.resolve('node_modules/tsx/dist/loader.mjs');
    const prelude = `npx() { shift; '${process.execPath}' --import '${tsx}' '${program}' "$@" 2>&1; }\n`;
    const { stdout } = await run('bash', ['-c', prelude + script], {
      cwd: directory,
      maxBuffer: 1 << 28,
      env: { ...process.env, PMGATE_URL: gateway.url },
    });
    const outputs = stdout.split(/^== \d+\n/m).slice(1);
    expect(outputs).toHaveLength(blocks.length);
    const wrong = blocks.flatMap(({ commands, shows }, i) => {
      const output = outputs[i]!;
      const isRefused = output.includes('"success":false') && !shows.includes('"success":false');
      const mayBeEmpty = ['context=', ' > '].some((part) => commands.includes(part));
      const isEmpty = output.startsWith('== exit') && !mayBeEmpty;
      const ends = commands.includes('pmgate changes') ? NOTHING_TO_COMPARE : /== exit 0/;
      return !ends.test(output) || isRefused || isEmpty ? [{ commands, output: output.slice(0, 400) }] : [];
    });
    expect(wrong).toEqual([]);
    expect(readFileSync(path.join(directory, 'load.csv'), 'utf8')).toMatch(/^20.*,\d+\.\d+,/m);
  });
});
