import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PM_ERR } from '../../../src/pmapi/index.js';
import { ArchiveAnswers } from '../../support/archive-answers.js';
import { ArchiveBench, disposeOfBenches, recordsOf } from './support.js';

afterEach(disposeOfBenches);

const FIXTURES = path.resolve('test/fixtures/archives');

describe('archives recorded by pmlogger', () => {
  let bench: ArchiveBench;

  beforeEach(() => (bench = new ArchiveBench()));

  it.each(['live-v2', 'live-v3', 'later-v3', 'packed-v3'])(
    '%s: every answer is the one that libpcp gave',
    async (name) => {
      const lines = readFileSync(path.join(FIXTURES, `${name}.probe`), 'latin1')
        .trimEnd()
        .split('\n');
      const answers = new ArchiveAnswers(() => bench.open(path.join(FIXTURES, name)));
      const ours: string[] = [];
      for (const line of lines) ours.push(await answers.like(line));
      expect(ours).toEqual(lines);
      expect(lines.length).toBeGreaterThan(100);
      await answers.close();
    },
  );

  it('two of them make one context, with a mark between', async () => {
    const source = await bench.open(path.join(FIXTURES, 'later-v3'), path.join(FIXTURES, 'live-v3'));
    const { records, error } = await recordsOf(source);
    expect(records.filter(([, what]) => what === 'mark')).toHaveLength(1);
    expect(records[0]![1]).not.toBe('mark');
    expect(error).toMatchObject({ pmErr: PM_ERR.EOL });
  });
});
