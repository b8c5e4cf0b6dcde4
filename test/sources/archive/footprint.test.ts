import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ArchiveBuilder } from '../../support/archive-builder.js';
import { bundledProgram } from '../../support/bundled-program.js';
import { ArchiveBench, disposeOfBenches, stamp } from './support.js';

afterEach(disposeOfBenches);

const run = promisify(execFile);

/** What makes memory say the same on a busy machine: nothing is freed, compiled or forgotten by another thread, at another time. */
const STEADY = ['--expose-gc', '--single-threaded', '--no-opt', '--no-flush-bytecode'];

describe('what caches count', () => {
  it('is what columns and record tables take', async () => {
    const bench = new ArchiveBench();
    const builder = new ArchiveBuilder({ version: 3, start: stamp(0) });
    const sets = Array.from({ length: 100 }, (_, pmid) => ({ pmid, values: [[-1, 1]] as const }));
    for (let i = 0; i < 8; i++) builder.record(stamp(i), sets);
    const volume = `${builder.write(bench.directory, 'a')}.0`;
    const program = bundledProgram('test/sources/archive/footprint-program.ts');
    const { stdout } = await run(process.execPath, [...STEADY, program, volume]);
    const ratios = Object.entries(JSON.parse(stdout) as Record<string, number>);
    expect(ratios).toHaveLength(10);
    expect(ratios.filter(([, ratio]) => !(ratio > 0.8 && ratio < 2))).toEqual([]);
  });
});
