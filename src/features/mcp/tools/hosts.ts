import type { components } from '../../../client/index.js';
import type { Gateway } from '../gateway.js';
import { consoleAddress, Refusal } from '../gateway.js';
import type { Item, Report } from '../report.js';
import { quoted, timeText } from '../text.js';
import type { Tool } from './tool.js';
import { HOST, textOf } from './tool.js';

type Schemas = components['schemas'];
/** Of each host a timeline is read. */
const MOST_HOSTS = 12;
const MOST_ARCHIVES = 2000;

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
  const [known, recorded] = await Promise.all([
    gateway.ask('/hosts') as Promise<Schemas['Hosts']>,
    gateway.ask('/archives', { limit: MOST_ARCHIVES }) as Promise<Schemas['Archives']>,
  ]);
  const names = new Set(known.hosts.map(({ hostspec }) => hostspec));
  const ofArchives = recorded.archives.map((archive) => ('hostspec' in archive ? archive.hostspec : undefined));
  for (const name of ofArchives) if (name !== undefined) names.add(name);
  const items = await Promise.all([...names].slice(0, MOST_HOSTS).map((name) => itemOf(gateway, name)));
  return {
    head: `${names.size} hosts; times are UTC`,
    items,
    total: names.size,
    narrower: (shown) => ({ tool: 'pcp_hosts', arguments: { host: [...names][shown] } }),
    address: consoleAddress(gateway, 'hosts', {}),
  };
}

async function itemOf(gateway: Gateway, host: string): Promise<Item> {
  try {
    const { start, finish, live, gaps } = await timelineOf(gateway, host);
    const longest = gaps.reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a), { from: 0, to: 0 });
    const range = start === undefined ? 'no data yet' : `${timeText(start)} to ${timeText(finish)}`;
    const gapText =
      gaps.length === 0 ? '' : `; gaps: ${gaps.length}, longest ${timeText(longest.from)} to ${timeText(longest.to)}`;
    return {
      line: `${quoted(host)}: ${range}${live ? ', live' : ', not live'}${gapText}`,
      data: { host: host.slice(0, 256), start, finish, live, gaps: gaps.length },
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { line: `${quoted(host)}: ${error.code}`, data: { host: host.slice(0, 256), problem: error.code } };
  }
}

/** Where a host has data, in all its past. */
async function timelineOf(gateway: Gateway, host: string) {
  const { archives } = (await gateway.ask('/archives', {
    hostspec: host,
    limit: MOST_ARCHIVES,
  })) as Schemas['Archives'];
  const starts = archives.flatMap((archive) => ('start' in archive ? [Number(archive.start)] : []));
  const since = starts.length === 0 ? undefined : Math.min(...starts);
  const timeline = (await gateway.ask('/timeline', { hostspec: host, start: since })) as Schemas['Timeline'];
  const segments = timeline.segments.map(({ from, to }) => ({ from: Number(from), to: Number(to) }));
  return {
    start: segments.length === 0 ? undefined : Math.min(...segments.map(({ from }) => from)),
    finish: Math.max(...segments.map(({ to }) => to)),
    live: timeline.live,
    gaps: timeline.gaps.map(({ from, to }) => ({ from: Number(from), to: Number(to) })),
  };
}

async function listGaps(gateway: Gateway, host: string): Promise<Report> {
  const { start, finish, live, gaps } = await timelineOf(gateway, host);
  const range = start === undefined ? 'no data yet' : `${timeText(start)} to ${timeText(finish)}`;
  return {
    head: `${quoted(host)}: ${range}${live ? ', live' : ', not live'}; ${gaps.length} gaps, longest first; times are UTC`,
    items: gaps
      .sort((a, b) => b.to - b.from - (a.to - a.from))
      .slice(0, 20)
      .map(({ from, to }) => ({ line: `gap ${timeText(from)} to ${timeText(to)}`, data: { from, to } })),
    address: consoleAddress(gateway, 'hosts', { on: host }),
  };
}
