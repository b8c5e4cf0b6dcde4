/* eslint @typescript-eslint/no-unnecessary-type-parameters: off, @typescript-eslint/no-unused-vars: off, @typescript-eslint/no-unsafe-call: off --
   Everything here is for its type alone. */
/**
 * What the types of the helpers promise, checked by `npm run typecheck`: this file runs nowhere. A line below `@ts-expect-error` has
 * to be refused.
 */
import type {
  ArchiveEntry,
  CallOptions,
  ChildrenAnswer,
  ColumnsAnswer,
  components,
  DerivedCheck,
  FetchAnswer,
  GatewayContext,
  HostsAnswer,
  IndomAnswer,
  IndomRequest,
  Metric,
  MetricsRequest,
  ModeRequest,
  operations,
  PmgateClient,
  ProfileRequest,
  RangeOptions,
  RangeSample,
  SearchAnswer,
  SearchOptions,
  SelectionOptions,
  StreamExtras,
  StreamOptions,
  StreamSample,
  Times,
  Value,
  Where,
} from '../../src/client/index.js';

type Schemas = components['schemas'];
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>;
declare function check<_Truth extends true>(): void;
type Answered<P> = P extends Promise<infer T> ? T : P extends AsyncIterable<infer T> ? T : never;
/** The names of parameters in options that the gateway does not know. */
type Unknown<Options, Parameters> = Exclude<keyof Options, keyof Parameters | keyof CallOptions>;

declare const client: PmgateClient;
declare const context: GatewayContext;
declare const times: Times;

// Moments are numbers, texts when that is asked for, and either when the compiler cannot know.
const epoch = client.fetch('a');
check<Same<Answered<typeof epoch>, FetchAnswer>>();
check<Same<Answered<typeof epoch>['timestamp'], number>>();
const iso = client.fetch('a', { times: 'iso' });
check<Same<Answered<typeof iso>['timestamp'], string>>();
const isoInOne = client.fetch({ names: ['a'], times: 'iso', hostspec: 'web1' });
check<Same<Answered<typeof isoInOne>['timestamp'], string>>();
const either = client.fetch('a', { times });
check<Same<Answered<typeof either>['timestamp'], number | string>>();
check<Same<FetchAnswer['values'][number]['instances'][number]['value'], Value>>();
check<Same<Value, number | string | null>>();

// Each helper has the answer of its own form, not the union of its route.
const range = client.range({ names: 'a', start: 1, finish: '-1hour', interval: '1min' });
check<Same<Answered<typeof range>, RangeSample>>();
const isoRange = client.range('a', { times: 'iso' });
check<Same<Answered<typeof isoRange>['timestamp'], string>>();
const columns = client.columns('a', { archive: 'x' });
check<Same<Answered<typeof columns>, ColumnsAnswer>>();
check<Same<Answered<typeof columns>['times'], number[]>>();
const csv = client.csv('a');
check<Same<Answered<typeof csv>, string>>();
const archive = client.archive('a');
check<Same<Answered<typeof archive>, Uint8Array>>();
const stream = client.stream({ names: 'a', interval: '1s', changed: true, signal: AbortSignal.timeout(1) });
check<Same<Answered<typeof stream>, StreamSample>>();
check<Same<Answered<typeof stream>['id'], string>>();
const hosts = client.fetchHosts(['web1', 'web2'], 'a');
check<Same<Answered<typeof hosts>, HostsAnswer>>();
const metrics = client.metrics('a');
check<Same<Answered<typeof metrics>['metrics'], Metric[]>>();
const children = context.children('a');
check<Same<Answered<typeof children>, ChildrenAnswer>>();
const indom = context.indom({ indom: '60.2' });
check<Same<Answered<typeof indom>, IndomAnswer>>();
const found = client.search('disk read', { type: ['metric'] });
check<Same<Answered<typeof found>, SearchAnswer>>();
const archives = client.archives();
check<Same<Answered<typeof archives>, ArchiveEntry[]>>();
const dryRun = client.derived.check('1 + 1', { archive: 'x' });
check<Same<Answered<typeof dryRun>, DerivedCheck>>();
const derived = context.derive('my.a', '1');
check<Same<Answered<typeof derived>, void>>();

// One way to say which metrics, of one source.
// @ts-expect-error names and prefix at once
void client.fetch({ names: 'a', prefix: 'b' });
// @ts-expect-error neither names nor anything else
void client.fetch({ hostspec: 'web1' });
// @ts-expect-error a context has its source
void context.fetch('a', { hostspec: 'web1' });
// @ts-expect-error no such form of times
void client.fetch('a', { times: 'posix' });
// @ts-expect-error a window is for ranges
void client.fetch('a', { start: '-1hour' });
// @ts-expect-error a profile is of a context
void client.profile({ expr: 'add' });
// @ts-expect-error the domain is named by a metric or by its number
void client.indom({ name: 'a', indom: '60.2' });

// What the helpers send, the gateway has: names, and kinds of those that are not lists.
check<Same<Unknown<SelectionOptions, Query<'fetchValues'>>, never>>();
check<Same<Unknown<RangeOptions & Where, Query<'fetchValues'>>, never>>();
check<Same<Unknown<Omit<StreamOptions & Where, keyof StreamExtras>, Query<'streamValues'>>, never>>();
check<Same<Unknown<MetricsRequest, Query<'describeMetrics'>>, never>>();
check<Same<Unknown<IndomRequest, Query<'listInstances'>>, never>>();
check<Same<Unknown<ProfileRequest, Query<'changeProfile'>>, never>>();
check<Same<Unknown<ModeRequest, Query<'setMode'>>, never>>();
check<Same<NonNullable<SearchOptions['type']>[number], Schemas['EntityType']>>();

// What the helpers say of streams is what openapi.yaml says.
check<Same<keyof StreamSample, keyof Schemas['StreamSample'] | 'id'>>();
