import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { bundledProgram } from '../support/bundled-program.js';

const run = promisify(execFile);

/** What makes memory say the same on a busy machine: nothing is freed, compiled or forgotten by another thread, at another time. */
const STEADY = ['--expose-gc', '--single-threaded', '--no-opt', '--no-flush-bytecode'];

describe('what is counted for what clients make the gateway keep', () => {
  it('is what plans, views, definitions with their programs, profiles, metadata and streams take', async () => {
    const program = bundledProgram('test/context/footprint-program.ts');
    const { stdout } = await run(process.execPath, [...STEADY, program]);
    const ratios = Object.entries(JSON.parse(stdout) as Record<string, number>);
    expect(ratios).toHaveLength(10);
    expect(ratios.filter(([, ratio]) => !(ratio > 0.5 && ratio < 2))).toEqual([]);
  });
});
