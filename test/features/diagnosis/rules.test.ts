import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readRules } from '../../../src/features/diagnosis/rules.js';

describe('the rules', () => {
  it('that are shipped compile, each with the condition of its value', () => {
    const { rules, problems } = readRules([]);
    expect(problems).toEqual([]);
    expect(rules.length).toBeGreaterThan(15);
    for (const { value, when } of rules) expect(when.canonical).not.toBe(value.canonical);
  });

  it('of files replace those of the same name, and wrong ones are told and left out', () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'pmgate-rules-'));
    const file = path.join(directory, 'own.yaml');
    const rule =
      '{name: disk.busy, resource: disk, state: busy, value: my.load, when: $value > 3, sentence: x, source: y';
    writeFileSync(
      file,
      `rules:\n  - ${rule}}\n  - ${rule}, who: nobody}\n  - {name: a}\n  - ${rule.replace('> 3', '>')}}\n`,
    );
    const { rules, problems } = readRules([file, path.join(directory, 'none')]);
    expect(rules.find(({ name }) => name === 'disk.busy')!.when.canonical).toContain('my.load');
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('rule 2: who must be one of processor'),
      'rule 3: resource is missing',
      expect.stringContaining('rule 4: '),
      expect.stringContaining('cannot be read'),
    ]);
    rmSync(directory, { recursive: true });
  });
});
