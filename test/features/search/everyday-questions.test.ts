import { parseQuery, SYNONYMS } from '../../../src/features/search/search-query.js';
import { startGateway } from '../../support/whole-gateway.js';
import { EVERYDAY_QUESTIONS, unanswered } from './support/everyday-questions.js';

describe('everyday questions', () => {
  it('are at least sixty, each asked once', () => {
    const questions = EVERYDAY_QUESTIONS.map(([question]) => question);
    expect(questions.length).toBeGreaterThanOrEqual(60);
    expect(new Set(questions).size).toBe(questions.length);
  });

  it('lead to their metrics among the first three results of this machine', async () => {
    const { port, close } = await startGateway();
    try {
      expect(await unanswered(port, 'embedded')).toEqual([]);
    } finally {
      await close();
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
