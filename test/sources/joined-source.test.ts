import { FetchResult, makeIndom, makePmid, PM_ERR } from '../../src/pmapi/index.js';
import { InstanceProfile, joinAgents, lookAtVolatile } from '../../src/sources/index.js';
import { PmnsTree } from '../../src/sources/pmns-tree.js';
import { FakeClock } from '../support/fake-clock.js';
import { descriptor } from '../support/memory-gateway.js';
import { MemorySource } from '../support/memory-source.js';

const MAIN = makePmid(60, 0, 1);
const OWN = makePmid(70, 1, 1);
const INDOM = makeIndom(70, 1);
const EVERYTHING = new InstanceProfile();

function makeAgent() {
  const agent = {
    domain: 70,
    name: 'own',
    generation: 5,
    looks: 0,
    covers: (subject: string | number) =>
      typeof subject === 'number' ? subject >>> 22 === 70 : subject.startsWith('own'),
    look: () => {
      agent.looks++;
    },
    names: () => PmnsTree.of([['own.metric', OWN]]),
    descriptor: (pmid: number) => (pmid === OWN ? descriptor(OWN) : undefined),
    instances: (indom: number) => ({ indom, instances: [{ id: 1, name: 'one' }] }),
    labels: () => [{ instance: -1, labels: [{ name: 'a', json: '1' }] }],
    helpText: () => 'own help',
    prepare: (pmids: readonly number[]) => ({
      fill: async (
        sets: readonly { pmid: number; setNumber(n: number): void; reset(p: number, t: number): void }[],
      ) => {
        for (const [i, set] of sets.entries()) {
          set.reset(pmids[i]!, 1);
          set.setNumber(70);
        }
      },
    }),
  };
  return agent;
}

describe('a source with agents beside it', () => {
  const clock = new FakeClock();
  const main = () =>
    new MemorySource(
      { metrics: [{ name: 'main.metric', descriptor: descriptor(MAIN), oneline: 'main', values: 60 }] },
      clock,
    );
  const setUp = () => {
    const agent = makeAgent();
    const opening = joinAgents({ open: main }, [agent], clock);
    return { agent, opening, source: opening.open() };
  };

  it('is the source itself where there are no agents', () => {
    const opening = { open: main };
    expect(joinAgents(opening, [], clock)).toBe(opening);
  });

  it('has the names and the metadata of both', async () => {
    const { source } = setUp();
    expect(await source.traverse('')).toEqual(['main.metric', 'own.metric']);
    expect(await source.traverse('own')).toEqual(['own.metric']);
    expect(await source.children('')).toEqual({ leaf: [], nonleaf: ['main', 'own'] });
    expect(await source.children('own')).toEqual({ leaf: ['metric'], nonleaf: [] });
    await expect(source.traverse('own.no')).rejects.toThrow('Unknown metric name');
    expect(await source.lookupNames(['own.metric', 'no', 'main.metric', 'own', 'owner'])).toEqual([
      OWN,
      PM_ERR.NAME,
      MAIN,
      PM_ERR.NONLEAF,
      PM_ERR.NAME,
    ]);
    expect(await source.namesOf(OWN)).toEqual(['own.metric']);
    expect(await source.namesOf(MAIN)).toEqual(['main.metric']);
    expect(await source.describe([MAIN, OWN, OWN + 1])).toEqual([descriptor(MAIN), descriptor(OWN), PM_ERR.PMID]);
    expect((await source.instances(INDOM)).instances).toHaveLength(1);
    expect(await source.helpText({ kind: 'metric', pmid: OWN }, 'help')).toBe('own help');
    expect(await source.helpText({ kind: 'metric', pmid: MAIN }, 'oneline')).toBe('main');
    expect(await source.labels({ kind: 'domain', domain: 70 })).toEqual([
      { instance: -1, labels: [{ name: 'agent', json: '"own"' }] },
    ]);
    expect(await source.labels({ kind: 'item', pmid: OWN })).toHaveLength(1);
    expect(await source.labels({ kind: 'item', pmid: MAIN })).toEqual([]);
  });

  it('fetches the metrics of both in the order in which they are asked for', async () => {
    const { source } = setUp();
    const result = new FetchResult();
    for (const pmids of [[OWN, MAIN, OWN], [OWN], [MAIN], [MAIN, OWN]]) {
      await source.fetch(source.prepare(pmids), EVERYTHING, result);
      expect(result.sets.map(({ pmid, column }) => [pmid, column.numbers[0]])).toEqual(
        pmids.map((pmid) => [pmid, pmid >>> 22]),
      );
      expect(result.timestamp).toEqual(clock.now());
    }
  });

  it('asks no agent for a fetch that names none of its metrics', async () => {
    const { agent, source } = setUp();
    agent.prepare = () => {
      throw new Error('it is asked');
    };
    const result = new FetchResult();
    await source.fetch(source.prepare([MAIN]), EVERYTHING, result);
    expect(result.sets[0]!.column.numbers[0]).toBe(60);
    lookAtVolatile(source, [MAIN, 'main.metric']);
    expect(agent.looks).toBe(0);
    lookAtVolatile(source, [MAIN, 'own.metric']);
    expect(agent.looks).toBe(1);
  });

  it('has the generations of both, and one origin for all contexts', () => {
    const { agent, source, opening } = setUp();
    const before = source.generation;
    agent.generation++;
    expect(source.generation).toBe(before + 1);
    expect(opening.open().origin).toBe(source.origin);
  });

  it('answers nothing once it is closed', async () => {
    const { source } = setUp();
    const prepared = source.prepare([OWN]);
    await source.close();
    await expect(source.fetch(prepared, EVERYTHING, new FetchResult())).rejects.toThrow();
    await expect(source.instances(INDOM)).rejects.toThrow();
    const { source: destroyed } = setUp();
    destroyed.destroy(new Error('gone'));
    await expect(destroyed.fetch(prepared, EVERYTHING, new FetchResult())).rejects.toThrow('gone');
  });
});
