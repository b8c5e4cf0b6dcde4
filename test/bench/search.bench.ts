/** What searching costs: making the index of the embedded collector, queries, and how long they keep the event loop. */
import { ContextManager } from '../../src/context/index.js';
import { eventLoopTurns } from '../../src/kit/index.js';
import { systemClock } from '../../src/pmapi/index.js';
import { parseQuery } from '../../src/features/search/search-query.js';
import { search, suggest } from '../../src/features/search/search.js';
import { SearchIndexes } from '../../src/features/search/search-indexes.js';
import type { FindOptions } from '../../src/features/search/search-shard.js';
import { LinuxCollector } from '../../src/sources/linux/index.js';
import { BUDGETS } from './budgets.js';
import { heading, median, report } from './support/report.js';
import { reportTurns, watchTurns } from './support/turns.js';

const ROUNDS = 20;
const QUERIES = ['disk dev read', 'free memory', 'cpu', 'kernal laod', 'network interface in bytes'];

const collector = new LinuxCollector({ clock: systemClock });
const contexts = new ContextManager({
  sources: { open: () => Promise.resolve(collector.open()) },
  clock: systemClock,
  limits: { contexts: 1, pollTimeoutMs: 3_600_000, maxPollTimeoutMs: 3_600_000 },
});
const context = await contexts.create({ kind: 'host', hostspec: 'embedded' });
const makeIndexes = (): SearchIndexes => new SearchIndexes({ clock: systemClock, turns: eventLoopTurns });

const builds = [];
for (let i = 0; i < ROUNDS; i++) builds.push(await watchTurns(() => makeIndexes().of(context)));
const index = await makeIndexes().of(context);
const { documents, terms, records } = index.size;
heading(`The embedded collector: ${documents} entities, ${terms} words, ${records} words in entities`);
report('index, for the first time', builds[0]!.ms, 'millisec');
report('index, again', median(builds.slice(1).map(({ ms }) => ms)), 'millisec');
reportTurns(builds.slice(1), BUDGETS.searchTurn.limit);

const sources = [{ index, source: 'embedded' }];
const options: FindOptions & { offset: number; limit: number } = { offset: 0, limit: 10 };
for (const text of QUERIES) {
  const query = parseQuery(text, 'q');
  const times = [];
  for (let i = 0; i < ROUNDS * 5; i++) {
    times.push((await watchTurns(() => search(sources, query, options, eventLoopTurns))).ms);
  }
  report(`query: ${text}`, median(times), 'millisec', BUDGETS.searchQuery.limit);
}
const completions = [];
for (let i = 0; i < ROUNDS * 5; i++) {
  const query = parseQuery('disk.dev', 'query');
  completions.push((await watchTurns(() => suggest(sources, 'disk.dev', query, 10, eventLoopTurns))).ms);
}
report('completion: disk.dev', median(completions), 'millisec', BUDGETS.searchCompletion.limit);
await contexts.close();
await collector.close();
