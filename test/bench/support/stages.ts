import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { markdownTable } from '../budgets.js';
import { formatFigure } from './report.js';

/** What `--cpu-prof` writes, as far as it is read here: nodes, parents first. */
export interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  /** The node that ran at each sample, and the microseconds until then since the sample before. */
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** What takes less of the whole is left out. */
const LEAST = 0.005;
/** So many functions of a stage are named. */
const NAMED = 3;
const LOADING = 'loading modules';

/**
 * What of the code took the CPU time of some processes, itself without what it called: tables in Markdown of our rooms, packages and parts of Node,
 * and of their modules with the dearest functions of each, the greatest first.
 */
export function stageTables(profiles: readonly Profile[]): string {
  const stages = new Map<string, Map<string, number>>();
  for (const profile of profiles) addStages(profile, stages);
  const sums = [...stages].map(([stage, functions]) => ({ stage, functions, us: sumOf(functions.values()) }));
  const rooms = new Map<string, number>();
  for (const { stage, us } of sums) {
    const room = stage.startsWith('src/') ? stage.split('/').slice(0, 2).join('/') : stage.replace(/^node:.*/, 'node');
    rooms.set(room, (rooms.get(room) ?? 0) + us);
  }
  const totalUs = Math.max(1, sumOf(rooms.values()));
  const cells = (us: number): readonly string[] => [formatFigure(us / 1000), `${((100 * us) / totalUs).toFixed(1)} %`];
  const many = <Item>(items: readonly Item[], of: (item: Item) => number): readonly Item[] =>
    items.filter((item) => of(item) >= LEAST * totalUs).sort((a, b) => of(b) - of(a));
  const byRoom = many([...rooms], ([, us]) => us).map(([room, us]) => [room, ...cells(us)]);
  const byStage = many(sums, ({ us }) => us).map(({ stage, functions, us }) => {
    const dearest = [...functions].sort(([, a], [, b]) => b - a).slice(0, NAMED);
    return [stage, ...cells(us), dearest.map(([name, of]) => `${name} ${formatFigure(of / 1000)}`).join(', ')];
  });
  return [
    markdownTable([['room', 'CPU, ms', 'of all'], ...byRoom]),
    markdownTable([['stage', 'CPU, ms', 'of all', 'dearest'], ...byStage]),
  ].join('\n\n');
}

/** The tables of the profiles in a directory: of the gateways that a benchmark started, and of itself. */
export function stagesOf(directory: string): readonly string[] {
  const [gateways, own]: [Profile[], Profile[]] = [[], []];
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(readFileSync(path.join(directory, file), 'utf8')) as Profile;
    const isGateway = profile.nodes.some(({ callFrame }) => callFrame.url.endsWith('/dist/main.js'));
    (isGateway ? gateways : own).push(profile);
  }
  return [
    `### CPU time of the benchmark itself\n\n${stageTables(own)}`,
    ...(gateways.length > 0 ? [`### CPU time of its gateways (${gateways.length})\n\n${stageTables(gateways)}`] : []),
  ];
}

function addStages({ nodes, samples, timeDeltas }: Profile, stages: Map<string, Map<string, number>>): void {
  const places = new Map<number, readonly [stage: string, functionName: string]>();
  const isLoading = new Set<number>();
  for (const { id, callFrame, children = [] } of nodes) {
    const { functionName, url } = callFrame;
    if (/^node:internal\/(?:modules|bootstrap)\//.test(url)) isLoading.add(id);
    if (isLoading.has(id)) for (const child of children) isLoading.add(child);
    const name = functionName === '' ? '(anonymous)' : functionName;
    places.set(id, [isLoading.has(id) ? LOADING : stageOf(functionName, url), name]);
  }
  for (const [i, id] of samples.entries()) {
    const [stage, name] = places.get(id)!;
    if (stage === '(idle)' || stage === '(root)') continue;
    const functions = stages.get(stage) ?? new Map<string, number>();
    stages.set(stage, functions.set(name, (functions.get(name) ?? 0) + timeDeltas[i]!));
  }
}

/** A module of ours as it is in src, a package, a part of Node, or what the engine does itself. */
function stageOf(functionName: string, url: string): string {
  const inPackage = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (inPackage !== undefined) return inPackage;
  const own = /\/(?:src|dist)\/(.*)\.[cm]?[jt]s$/.exec(url)?.[1];
  if (own !== undefined) return `src/${own}`;
  if (url !== '') return url.startsWith('node:') ? url : path.basename(url);
  return functionName.startsWith('(') ? functionName : '(native)';
}

function sumOf(times: Iterable<number>): number {
  return [...times].reduce((sum, us) => sum + us, 0);
}
