/** What a figure should be: `atMost` for costs, `atLeast` for rates and ratios. */
export type Limit = { readonly atMost: number } | { readonly atLeast: number };

/** One promise about speed or size. */
export interface Budget {
  /** The benchmark that measures it, by the name of its file without `.bench.ts`; `every` for each of them. */
  readonly bench: string;
  /** What is measured. */
  readonly figure: string;
  /** The unit of the limit; empty for ratios and counts. */
  readonly unit: string;
  readonly limit: Limit;
}

const atMost = (bench: string, figure: string, most: number, unit = ''): Budget => ({
  bench,
  figure,
  unit,
  limit: { atMost: most },
});
const atLeast = (bench: string, figure: string, least: number): Budget => ({
  bench,
  figure,
  unit: '',
  limit: { atLeast: least },
});

/** Every budget. The table in README.md here is made of these rows, which a test checks. */
export const BUDGETS = {
  everyMemory: atMost('every', 'resident memory of a gateway that a benchmark starts, highest', 250, 'Mbyte'),
  memoryIdle: atMost('memory', 'resident memory of an idle gateway that records, with the console open', 90, 'Mbyte'),
  anchorsPrometheus: atMost(
    'anchors',
    'a range over 15,000 samples of 16 instances, warm, against Prometheus, each of six',
    0.5,
  ),
  anchorsDuckDb: atMost('anchors', 'means of 1,000 buckets of the same, against DuckDB with the samples in memory', 1),
  growthHosts: atLeast('growth', 'rate of fetches of two gateways, against one, on two cores', 1.5),
  growthArchives: atLeast('growth', 'rate of ranges of two gateways, against one, on two cores', 1.7),
  httpFetch: atLeast('http', 'fetch of 3 metrics, 64 connections, against bare node:http serving the same bytes', 0.6),
  linuxThree: atMost('linux', 'CPU time of a fetch of 3 metrics', 35, 'µs'),
  linuxAll: atMost('linux', 'CPU time of a fetch of all metrics of tiers 1 and 2', 2, 'ms'),
  start: atMost('start', 'from the start of the process to the first answer', 250, 'ms'),
  startCpu: atMost('start', 'CPU time until then, against a server of Express alone', 2.5),
  startFirstCpu: atMost('start', 'the same, of the first start of a build', 4),
  packagePacked: atMost('package', 'the package for npm, packed', 2.4, 'Mbyte'),
  packageUnpacked: atMost('package', 'the package for npm, installed', 7.1, 'Mbyte'),
  packageFiles: atMost('package', 'files of the package for npm', 150),
  packageStart: atMost('package', 'from `npx` of the package, which was run before, to the first answer', 3000, 'ms'),
  contextsMemory: atMost('contexts', 'memory of 10,000 idle contexts', 20, 'Mbyte'),
  contextsStall: atMost('contexts', 'longest turn of the event loop while they expire', 50, 'ms'),
  derivedBind: atMost('derived', 'parse and bind of a typical expression, never seen before', 200, 'µs'),
  derivedEvaluate: atMost('derived', 'evaluation of 20 derived metrics over 64 instances, per fetch', 100, 'µs'),
  derivedFuzz: atMost('derived-fuzz', 'longest time of one of 100,000 hostile expressions', 200, 'ms'),
  liveMany: atLeast(
    'live',
    "fetch of 3 metrics from a pmcd, 16 and 64 connections, against pmproxy's best rate of all",
    4,
  ),
  liveErrors: atMost('live', 'errors, at 16 and 64 connections', 0),
  liveSilent: atMost('live', "p99 of 9 hosts' clients beside a silent tenth, against without it", 1.1),
  loneRate: atLeast('lone', 'rate of one client of a pmcd, against the least that Node can do', 0.97),
  loneLatency: atMost('lone', 'p99 of one client of a pmcd, against that', 1.2),
  loneCpu: atMost('lone', 'CPU time of a fetch for one client, against that', 2),
  loadErrors: atMost('load', 'errors, 1,000 polling and 1,000 streaming clients at once', 0),
  loadPolls: atMost('load', 'p99 of their polls', 100, 'ms'),
  loadDelivery: atMost('load', 'p99 from a sample to its delivery to all of them', 100, 'ms'),
  loadSamples: atMost('load', 'samples of streams lost or sent twice', 0),
  loadConnections: atMost('load', 'connections to pmcd meanwhile, more than before', 2),
  loadMemory: atMost('load', 'resident memory after all of its load', 150, 'Mbyte'),
  loadUnclean: atMost('load', 'at twice that load: failures that are no 503 with Retry-After', 0),
  loadRecovery: atMost(
    'load',
    'from the end of an overload until p99 is below 100 ms and nothing is refused',
    1000,
    'ms',
  ),
  archiveCold: atMost('archive', 'one metric over a whole archive, every sample, cold, against `pmval -U`', 0.7),
  archiveWarm: atMost('archive', 'the same, warm', 0.1),
  archiveDashboard: atMost('archive', 'dashboard of 20 panels at 1,000 points, warm', 1000, 'ms'),
  archiveLive: atMost('archive', 'p99 of live fetches beside dashboards', 10, 'ms'),
  timelineCold: atMost('timeline', 'a week of one metric over 7 daily archives, every sample, cold, against pmrep', 2),
  timelineWarm: atMost('timeline', 'the same, warm', 0.1),
  timelineDashboard: atMost('timeline', '30 days as a dashboard of 20 panels at 1,000 points, warm', 1000, 'ms'),
  firstRange: atMost(
    'first-range',
    'the first range of a gateway, over 2,000 and over 15,000 records, against `pmval -U`',
    1.5,
  ),
  rangesCold: atMost('ranges', 'CPU time of a range over 1 to all of 1,000 metrics, cold, against pmrep', 2),
  rangesMany: atMost('ranges', 'the same, 25 points of 311 metrics', 0.15),
  changesCold: atMost('changes', 'what changed in 1,000 metrics between two windows of an hour, cold', 2000, 'ms'),
  changesWarm: atMost('changes', 'the same, warm', 500, 'ms'),
  changesTurn: atMost('changes', 'longest turn of the event loop meanwhile, in CPU time', 30, 'ms'),
  diagnosisCold: atMost(
    'diagnosis',
    'what is wrong at the end of an hour, since when, and who, also of 2,000 groups, cold',
    1000,
    'ms',
  ),
  diagnosisWarm: atMost('diagnosis', 'the same, warm', 300, 'ms'),
  diagnosisTurn: atMost('diagnosis', 'longest turn of the event loop meanwhile', 30, 'ms'),
  processesDiagnosis: atMost(
    'processes',
    'what is wrong now with 20,000 processes, measured for two seconds',
    6000,
    'ms',
  ),
  processesTurn: atMost('processes', 'longest turn of the event loop meanwhile, in CPU time', 30, 'ms'),
  consolePaint: atMost('console', 'first paint of the console', 500, 'ms'),
  consoleChart: atMost('console', 'its first chart with what is remembered', 1000, 'ms'),
  consoleRate: atMost('console', 'its first rate of a counter that was never fetched', 1500, 'ms'),
  consoleArchive: atMost('console', 'four lanes of an archive with 1,320 records, warm', 1000, 'ms'),
  consoleRedrawFew: atMost('console', 'a redraw of 10 series of 600 points, 95th percentile', 16, 'ms'),
  consoleRedrawMany: atMost('console', 'a redraw of 64 series of 600 points, 95th percentile', 33, 'ms'),
  consoleDrawLong: atMost('console', 'drawing 10 series of 10,000 points, 95th percentile', 16, 'ms'),
  consoleDrawLongest: atMost('console', 'drawing one series of 100,000 points, 95th percentile', 16, 'ms'),
  consoleDrawMany: atMost('console', 'drawing 100 series of 1,300 points, 95th percentile', 33, 'ms'),
  consoleDryRun: atMost('console', 'the value of an expression after its last letter', 100, 'ms'),
  consoleLive: atMost(
    'console',
    'CPU time of the browser with 20 live lanes of 10 series, per cent of a core',
    10,
    '%',
  ),
  consoleHeap: atMost('console', 'its heap after an hour of samples', 60, 'Mbyte'),
  consoleHeapGrowth: atMost('console', 'the same, of that after 20 minutes', 105, '%'),
  viewerArchive: atMost('viewer', 'a chart of an archive of 100 MB that a page was given', 2000, 'ms'),
  viewerFolder: atMost('viewer', 'the same of a folder of 2 GB, which is listed before', 5000, 'ms'),
  viewerMemory: atMost('viewer', 'memory of the tab', 300, 'Mbyte'),
  whyFetch: atMost('why', 'a fetch that is not explained, against code that cannot explain', 1.05),
  whyRange: atMost('why', 'a range that is not explained, against code that cannot explain', 1.05),
  incidentsFound: atLeast('incidents', 'seeds in which all planted incidents are among the first five findings', 0.95),
  incidentsNone: atMost('incidents', 'findings where nothing is planted, in any seed', 1),
  searchTurn: atMost('search', 'longest turn of the event loop while an index is made, in CPU time', 5, 'ms'),
  searchQuery: atMost('search', 'a query, on the embedded collector', 10, 'ms'),
  searchCompletion: atMost('search', 'a completion', 5, 'ms'),
  seriesCold: atMost('series', 'the series of 100 archives, for the first time', 1000, 'ms'),
  seriesPmproxy: atMost('series-pmproxy', 'what Grafana asks of /series, warm, against pmproxy with redis', 1),
  arrowText: atMost('arrow', 'CPU time of a whole archive as JSON columns, cold and warm, against Arrow', 2),
  arrowReading: atMost(
    'arrow',
    'CPU time of reading a whole archive, cold, and writing it as Arrow, against reading alone',
    2,
  ),
  seriesWarm: atMost('series', 'a query by name over 100 archives, warm', 5, 'ms'),
  answersTurn: atMost(
    'answers',
    'longest turn of the event loop while 100,000 values are answered, in CPU time',
    30,
    'ms',
  ),
  answersText: atMost('answers', 'CPU time of the text of 32,000 values in columns', 5, 'ms'),
  linkCpu: atMost('link', 'CPU time of handing a small call to another member, both ends', 20, 'µs'),
  fleetHome: atLeast('fleet', 'CPU time of a fetch of 3 metrics without a fleet, against at home in one', 0.97),
  fleetHanded: atMost('fleet', 'the same of 3 gateways behind a load balancer, against each fetch at its home', 1.6),
  fleetBalanced: atMost('fleet', 'the same of 3 gateways behind a load balancer, against one alone', 1.6),
  fleetDefinition: atMost('fleet', 'global definition acknowledged, p50', 5, 'ms'),
  fleetDefinitionSlow: atMost('fleet', 'the same, p99', 50, 'ms'),
  fleetContext: atMost('fleet', 'context made, p50: more than without a fleet', 1, 'ms'),
  fleetFetches: atMost('fleet', 'fetches per tick at a host that 1,000 dashboards watch', 1.1),
  fleetSamples: atMost('fleet', 'their samples lost or sent twice, clients cut off', 0),
  fleetTurn: atMost('fleet', 'longest turn of the event loop that streams from 100 hosts, in CPU time', 20, 'ms'),
  fleetLeaving: atMost('fleet', 'gateway ended: failed fetches', 0),
  fleetAdopted: atMost('fleet', 'gateway killed: until one of its contexts is answered for elsewhere', 4000, 'ms'),
  fleetPrimaryFetches: atMost('fleet', 'primary of the engine killed and frozen: failed fetches', 0),
  fleetPrimaryDefinitions: atMost('fleet', 'the same: longest time without a new definition', 6000, 'ms'),
  recordHundred: atMost('record', 'CPU time of recording 100 metrics at one second, of one core', 1, '%'),
  recordThousand: atMost('record', 'CPU time of recording 1,000 metrics at one second, of one core', 5, '%'),
  recordLateness: atMost('record', 'lateness of the latest sample, of its interval', 10, '%'),
  recordBytes: atMost('record', "bytes a day, against pmlogger's for the same metrics", 1),
  mmvAll: atMost('mmv', 'CPU time of a fetch of 5,000 metrics in 100 MMV files', 5, 'ms'),
  mmvNone: atMost('mmv', 'CPU time that these files add to a fetch of 3 other metrics, against one stat(2)', 4),
  mmvFuzzTime: atMost('mmv-fuzz', 'longest time of one of 10,000 damaged MMV files', 1000, 'ms'),
  archiveFuzzTime: atMost('archive-fuzz', 'longest time of one of 10,000 damaged archives', 2000, 'ms'),
  archiveFuzzMemory: atMost('archive-fuzz', 'memory in use between archives, garbage collected', 100, 'Mbyte'),
} as const satisfies Record<string, Budget>;

/** A limit in words: `at most 2 ms`. */
export function limitText(limit: Limit, unit = ''): string {
  const [words, value] = 'atMost' in limit ? ['at most', limit.atMost] : ['at least', limit.atLeast];
  return `${words} ${value.toLocaleString('en-US')}${unit === '' ? '' : ` ${unit}`}`;
}

/** Whether a value keeps a limit; what is not a number never does. */
export function isMet(value: number, limit: Limit): boolean {
  return 'atMost' in limit ? value <= limit.atMost : value >= limit.atLeast;
}

/** Whether a benchmark has such a limit among its budgets: one that it has not was forgotten in the table. */
export function isListed(bench: string, limit: Limit): boolean {
  const wanted = JSON.stringify(limit);
  return Object.values<Budget>(BUDGETS).some(
    (row) => (row.bench === bench || row.bench === 'every') && JSON.stringify(row.limit) === wanted,
  );
}

/** The table of README.md, in Markdown with columns aligned. */
export function budgetsTable(): string {
  const rows = Object.values<Budget>(BUDGETS).map(({ bench, figure, unit, limit }) => [
    bench,
    figure,
    limitText(limit, unit),
  ]);
  return markdownTable([['bench', 'figure', 'budget'], ...rows]);
}

/** A table in Markdown, columns aligned; the first row is the head. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(3, ...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  return [line(rows[0]!), line(widths.map((width) => '-'.repeat(width))), ...rows.slice(1).map(line)].join('\n');
}
