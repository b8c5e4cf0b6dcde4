import type { components } from '../../../client/index.js';
import { archivesByHost, consoleAddress, Refusal, UNREACHABLE, type Gateway, type HostArchive } from '../gateway.js';
import type { Item, Report } from '../report.js';
import { quoted, timeText } from '../text.js';
import { HOST, textOf, type Tool } from './tool.js';

type Schemas = components['schemas'];
/** Of each host a timeline is read. */
const MOST_HOSTS = 12;
const MOST_GAPS = 20;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where a host has data, in all its past. */
interface Past {
  readonly range: Span | undefined;
  readonly live: boolean;
  /** The longest first. */
  readonly gaps: readonly Span[];
}

interface HostItem extends Item {
  readonly data: { readonly [member: string]: unknown; readonly live?: boolean };
}

/** Hosts with their time ranges and gaps; of one host, every gap. */
export const hosts: Tool = {
  name: 'pcp_hosts',
  description: 'Start here. Hosts, and from when to when each has data; with host: its gaps.',
  properties: { host: { ...HOST, description: 'only this one' } },
  async run(given, gateway) {
    const one = textOf(given, 'host');
    return one === undefined ? listHosts(gateway) : listGaps(gateway, one);
  },
};

async function listHosts(gateway: Gateway): Promise<Report> {
  const known = (await gateway.ask('/hosts')) as Schemas['Hosts'];
  const archives = await archivesByHost(gateway);
  const names = [...new Set([...known.hosts.map(({ hostspec }) => hostspec), ...archives.keys()])];
  const asked = names.slice(0, MOST_HOSTS).map((name) =>
    pastOf(gateway, name, archives.get(name)).then(
      (past) => itemOf(name, past),
      (error: unknown): HostItem => {
        if (!(error instanceof Refusal)) throw error;
        return { line: `${quoted(name)}: ${error.code}`, data: { host: name, problem: error.code } };
      },
    ),
  );
  const items = await Promise.all(asked);
  return {
    head: `${names.length} hosts; times are UTC`,
    items: [...items, ...names.slice(MOST_HOSTS).map((host) => ({ line: quoted(host), data: { host } }))],
    narrower: (shown) => ({ tool: 'pcp_hosts', arguments: { host: names[shown] } }),
    address: consoleAddress(gateway, items.some(({ data }) => data.live) ? 'hosts' : 'archives'),
  };
}

async function listGaps(gateway: Gateway, name: string): Promise<Report> {
  const past = await pastOf(gateway, name, (await archivesByHost(gateway, name)).get(name));
  return {
    head: 'Gaps, the longest first; times are UTC',
    items: [
      itemOf(name, past),
      ...past.gaps.slice(0, MOST_GAPS).map((gap) => ({ line: `gap ${spanText(gap)}`, data: gap })),
    ],
    address: past.live
      ? consoleAddress(gateway, 'hosts', { on: name })
      : consoleAddress(gateway, 'archives', { q: name }),
  };
}

function itemOf(host: string, { range, live, gaps }: Past): HostItem {
  const gapText = gaps[0] ? `; gaps: ${gaps.length}, longest ${spanText(gaps[0])}` : '';
  const line = `${quoted(host)}: ${range ? spanText(range) : 'no data yet'}${live ? ', live' : ', not live'}${gapText}`;
  return { line, data: { host, start: range?.from, finish: range?.to, live, gaps: gaps.length } };
}

/** What the timeline of a host says; of a host that cannot be reached, what its archives cover. */
async function pastOf(gateway: Gateway, name: string, archives: readonly HostArchive[] = []): Promise<Past> {
  const oldest = archives.length === 0 ? undefined : Math.min(...archives.map(({ start }) => start));
  try {
    if (gateway.unreachable.has(name)) throw new Refusal(0, UNREACHABLE, 'not reached a moment ago');
    const timeline = (await gateway.ask('/timeline', { hostspec: name, start: oldest })) as Schemas['Timeline'];
    const { segments, gaps, live } = timeline;
    return { range: hull(segments), live, gaps: longestFirst(gaps) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === UNREACHABLE) gateway.unreachable.set(name, true);
    if (archives.length === 0) throw error;
    const spans = archives.map(({ start, end }) => ({ from: start, to: end })).sort((a, b) => a.from - b.from);
    let covered = spans[0]!.to;
    const gaps = spans.flatMap(({ from, to }) => {
      const gap = from > covered ? [{ from: covered, to: from }] : [];
      covered = Math.max(covered, to);
      return gap;
    });
    return { range: hull(spans), live: false, gaps: longestFirst(gaps) };
  }
}

function hull(spans: readonly Span[]): Span | undefined {
  if (spans.length === 0) return undefined;
  return { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) };
}

function longestFirst(gaps: readonly Span[]): readonly Span[] {
  return [...gaps].sort((a, b) => b.to - b.from - (a.to - a.from));
}

function spanText({ from, to }: Span): string {
  return `${timeText(from)} to ${timeText(to)}`;
}
