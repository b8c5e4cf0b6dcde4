import { spawnSync } from 'node:child_process';
import { InstanceProfile } from '../../src/sources/index.js';
import { area } from './support/conformance.js';
import { type RunningPmcd, findPmcd, startPmcd } from './support/pmcd-process.js';

/**
 * All sequences of up to three calls of pmAddProfile and pmDelProfile, through the installed libpcp and a pmcd of its own,
 * against InstanceProfile. No differences are known.
 */
const PYTHON = '/usr/bin/python3';
const ORACLE = 'test/interop/support/profile-oracle.py';
const INDOM = 7;

type Op = readonly ['add' | 'delete', readonly number[] | 'all' | null];

function runOracle(port: number, sequences: readonly (readonly Op[])[]): readonly number[][] {
  const options = { input: JSON.stringify(sequences), encoding: 'utf8', maxBuffer: 1 << 26 } as const;
  const { stdout, stderr, status, error } = spawnSync(PYTHON, [ORACLE, `127.0.0.1:${port}`], options);
  if (status !== 0) throw new Error(error?.message ?? stderr);
  return JSON.parse(stdout) as number[][];
}

function visibleAfter(ops: readonly Op[]): number[] {
  const profile = new InstanceProfile();
  for (const [op, instances] of ops) {
    if (instances === 'all') profile[op]();
    else profile[op](INDOM, instances ?? undefined);
  }
  return [0, 1, 2].filter((instance) => profile.includes(INDOM, instance));
}

(findPmcd() === undefined ? describe.skip : describe)('InstanceProfile against libpcp', () => {
  let pmcd: RunningPmcd;
  beforeAll(async () => {
    pmcd = await startPmcd();
  });
  afterAll(() => pmcd.stop());

  it('lets the same instances through', () => {
    const operands = ['all', null, [0], [1], [0, 1], [0, 1, 2]] as const;
    const ops = (['add', 'delete'] as const).flatMap((op) => operands.map((operand): Op => [op, operand]));
    let sequences: Op[][] = [[]];
    const all: Op[][] = [];
    for (let length = 1; length <= 3; length++) {
      sequences = sequences.flatMap((sequence) => ops.map((op) => [...sequence, op]));
      all.push(...sequences);
    }
    const answers = runOracle(pmcd.port, all);
    const different = all.flatMap((sequence, i) => {
      const [ours, theirs] = [visibleAfter(sequence), answers[i]!];
      return String(ours) === String(theirs) ? [] : [JSON.stringify({ sequence, ours, theirs })];
    });
    process.stdout.write(`pmAddProfile, pmDelProfile: ${all.length - different.length} of ${all.length} equal\n`);
    area('profiles').equal(all.length - different.length);
    for (const detail of different) area('profiles').wrong(detail);
    expect(different.slice(0, 20)).toEqual([]);
  });
});
