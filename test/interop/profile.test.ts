import { spawnSync } from 'node:child_process';
import { InstanceProfile } from '../../src/sources/index.js';
import { area } from './support/conformance.js';

/**
 * All sequences of up to three calls of pmAddProfile and pmDelProfile, through the installed libpcp and a pmcd on this
 * machine, against InstanceProfile. No differences are known.
 */
const PYTHON = '/usr/bin/python3';
const ORACLE = 'test/interop/support/profile-oracle.py';
const INDOM = 7;

type Op = readonly ['add' | 'delete', readonly number[] | 'all' | null];

function runOracle(sequences: readonly (readonly Op[])[]): { answers?: number[][]; problem?: string } {
  const options = { input: JSON.stringify(sequences), encoding: 'utf8', maxBuffer: 1 << 26 } as const;
  const { stdout, stderr, status, error } = spawnSync(PYTHON, [ORACLE, '127.0.0.1'], options);
  if (status === 0) return { answers: JSON.parse(stdout) as number[][] };
  return { problem: error?.message ?? stderr.trim().split('\n').at(-1) ?? 'it failed' };
}

function visibleAfter(ops: readonly Op[]): number[] {
  const profile = new InstanceProfile();
  for (const [op, instances] of ops) {
    if (instances === 'all') profile[op]();
    else profile[op](INDOM, instances ?? undefined);
  }
  return [0, 1, 2].filter((instance) => profile.includes(INDOM, instance));
}

const { problem } = runOracle([]);
if (problem !== undefined) process.stderr.write(`SKIPPED: comparison of profiles with libpcp: ${problem}\n`);

(problem === undefined ? describe : describe.skip)('InstanceProfile against libpcp', () => {
  it('lets the same instances through', () => {
    const operands = ['all', null, [0], [1], [0, 1], [0, 1, 2]] as const;
    const ops = (['add', 'delete'] as const).flatMap((op) => operands.map((operand): Op => [op, operand]));
    let sequences: Op[][] = [[]];
    const all: Op[][] = [];
    for (let length = 1; length <= 3; length++) {
      sequences = sequences.flatMap((sequence) => ops.map((op) => [...sequence, op]));
      all.push(...sequences);
    }
    const { answers } = runOracle(all);
    const different = all.flatMap((sequence, i) => {
      const [ours, theirs] = [visibleAfter(sequence), answers![i]!];
      return String(ours) === String(theirs) ? [] : [JSON.stringify({ sequence, ours, theirs })];
    });
    process.stdout.write(`pmAddProfile, pmDelProfile: ${all.length - different.length} of ${all.length} equal\n`);
    area('profiles').equal(all.length - different.length);
    for (const detail of different) area('profiles').wrong(detail);
    expect(different.slice(0, 20)).toEqual([]);
  });
});
