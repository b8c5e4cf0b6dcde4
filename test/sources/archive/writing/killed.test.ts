import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { bundledProgram } from '../../../support/bundled-program.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { ArchiveBench, disposeOfBenches, recordsOf, secondsOf } from '../support.js';

afterEach(disposeOfBenches);

/** How often the writer is killed: more often with PMGATE_KILLS. */
const KILLS = Number(process.env.PMGATE_KILLS ?? 4);

describe('an archive whose writer is killed with SIGKILL', () => {
  const directory = temporaryDirectory();

  /** Let the writer write so many samples and kill it; answers the seconds that it printed. */
  async function writeAndKill(base: string, count: number): Promise<number[]> {
    const program = bundledProgram('test/sources/archive/writing/endless-writer.ts');
    const child = spawn(process.execPath, [program, base], { stdio: ['ignore', 'pipe', 'inherit'] });
    const closed = once(child, 'close');
    const printed: number[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      printed.push(Number(line));
      if (printed.length === count) child.kill('SIGKILL');
    }
    await closed;
    expect(child.signalCode).toBe('SIGKILL');
    return printed;
  }

  it(
    'has every sample that was acknowledged, and goes on with a mark',
    async () => {
      const base = path.join(directory.path, 'killed');
      const acknowledged: number[] = [];
      for (let i = 0; i < KILLS; i++) acknowledged.push(...(await writeAndKill(base, 20 + 17 * (i % 5))));
      const bench = new ArchiveBench();
      const source = await bench.open(base);
      const { records } = await recordsOf(source);
      const samples = records.flatMap(([second, what]) => (what === 'mark' ? [] : [second]));
      const epoch = secondsOf({ sec: 0, nsec: 0 });
      expect(samples).toEqual(expect.arrayContaining(acknowledged.map((second) => second + epoch)));
      expect(samples.length - acknowledged.length).toBeLessThanOrEqual(KILLS);
      expect(records.filter(([, what]) => what === 'mark')).toHaveLength(KILLS - 1);
      await bench.dispose();
      if (existsSync('/usr/bin/pmlogcheck')) {
        const { stdout, stderr } = spawnSync('pmlogcheck', ['-w', base], { encoding: 'utf8' });
        expect(stdout + stderr).toBe('');
      }
    },
    60_000 + KILLS * 10_000,
  );
});
