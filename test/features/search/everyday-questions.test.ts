import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../../src/config/index.js';
import { Gateway } from '../../../src/gateway/gateway.js';
import { createLog } from '../../../src/log/log.js';
import { parseQuery, SYNONYMS } from '../../../src/features/search/search-query.js';
import { FakeClock } from '../../support/fake-clock.js';
import { PATIENT } from '../../support/patience.js';
import { EVERYDAY_QUESTIONS, unanswered } from './support/everyday-questions.js';

describe('everyday questions', () => {
  it('are at least sixty, each asked once', () => {
    const questions = EVERYDAY_QUESTIONS.map(([question]) => question);
    expect(questions.length).toBeGreaterThanOrEqual(60);
    expect(new Set(questions).size).toBe(questions.length);
  });

  it('lead to their metrics among the first three results of this machine', async () => {
    const state = mkdtempSync(path.join(os.tmpdir(), 'pmgate-questions-'));
    const environment = { PMGATE_LISTEN_PORT: '0', PMGATE_STATE_DIRECTORY: state, ...PATIENT };
    const log = await createLog('silent', new FakeClock());
    const gateway = await Gateway.create({ config: loadConfig({ environment }), log });
    try {
      const { port } = await gateway.listen();
      expect(await unanswered(port, 'embedded')).toEqual([]);
    } finally {
      await gateway.close();
      rmSync(state, { recursive: true });
    }
  });
});

describe('SYNONYMS', () => {
  it.each(SYNONYMS)('knows "%s" once, and says something else instead', (typed, ...instead) => {
    const { terms } = parseQuery(typed, 'q');
    expect(terms).toHaveLength(1);
    expect(terms[0]!.synonyms).toHaveLength(instead.length);
    expect(instead.length).toBeGreaterThan(0);
    expect(SYNONYMS.filter(([other]) => parseQuery(other, 'q').words.join() === terms[0]!.words.join())).toHaveLength(
      1,
    );
  });

  it('are not looked for in the place of a name', () => {
    expect(parseQuery('network.traffic', 'q').terms.flatMap(({ synonyms }) => synonyms)).toEqual([]);
  });
});
