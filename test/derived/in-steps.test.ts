import { DefinitionStore, DerivedScope } from '../../src/derived/index.js';
import { atOnce, eventLoopTurns } from '../../src/kit/index.js';
import { DerivedApi } from '../support/derived-api.js';
import { Given } from './support/given.js';

const DEFINITIONS = 60;
const text = (root: string): string =>
  Array.from({ length: DEFINITIONS }, (_, i) => `${root}.d${i} = ${i}${' + 1'.repeat(20)}\n`).join('');
const stepsOf = (work: Iterable<void>): number => [...work].length;

describe('many definitions', () => {
  it('are parsed one in a step, and registered in the last', () => {
    const store = new DefinitionStore();
    const work = store.loadInSteps(text('a'), { file: 'body', origin: 'api' });
    for (let i = 0; i < DEFINITIONS; i++) expect(work.next()).toEqual({ done: false, value: undefined });
    expect(store.list().length).toBe(0);
    expect(work.next().done).toBe(true);
    expect(store.list().length).toBe(DEFINITIONS);
  });

  it('of a context are parsed and bound one in a step, and added in the last', () => {
    const scope = new DerivedScope(new DefinitionStore());
    expect(stepsOf(scope.parseFileInSteps(text('a')))).toBe(DEFINITIONS);
    const adding = scope.addInSteps(atOnce(scope.parseFileInSteps(text('a'))), new Given([]));
    for (let i = 0; i < DEFINITIONS; i++) expect(adding.next().done).toBe(false);
    expect(scope.own()).toEqual([]);
    expect(adding.next().done).toBe(true);
    expect(scope.own()).toHaveLength(DEFINITIONS);
  });

  it('of a context are refused as a whole when their names are taken in between', () => {
    const scope = new DerivedScope(new DefinitionStore());
    const adding = scope.addInSteps(atOnce(scope.parseFileInSteps('a.x = 1\na.y = 2\n')), new Given([]));
    adding.next();
    adding.next();
    atOnce(scope.addInSteps(scope.parse('a.x', '3'), new Given([])));
    expect(() => adding.next()).toThrow('Duplicate per-context derived metric name');
    expect(scope.own()).toHaveLength(1);
  });

  it('sent over HTTP let others have their turn after each', async () => {
    const { next } = eventLoopTurns;
    const derived = await DerivedApi.start();
    let turns = 0;
    // No time is left after any step.
    eventLoopTurns.next = () => {
      turns++;
      return eventLoopTurns.own();
    };
    try {
      const body = { type: 'text/plain', body: text('a') };
      expect(await derived.api.post('/derived', body)).toMatchObject({ status: 201 });
      expect(turns).toBeGreaterThanOrEqual(DEFINITIONS);
      turns = 0;
      expect(await derived.api.post('/pmapi/derive', body)).toMatchObject({ status: 200 });
      expect(turns).toBeGreaterThanOrEqual(2 * DEFINITIONS);
    } finally {
      eventLoopTurns.next = next;
      await derived.stop();
    }
  });
});
