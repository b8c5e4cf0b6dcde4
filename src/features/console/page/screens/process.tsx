import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { instantText } from '../chart/axis-times.js';
import { LanePanel } from '../chart/lane.js';
import { LaneTrouble } from '../chart/lane-words.js';
import type { Feed } from '../data/feed.js';
import { client, whereOf } from '../data/gateway.js';
import { JoinedFeed } from '../data/joined-feed.js';
import { groupsOf, IDENTITY_METRICS, processFacts } from '../data/process-facts.js';
import { instanceText } from '../data/series-table.js';
import { feedTime, isLive, shownWindow, shownZone } from '../data/shown-time.js';
import { factsOf, wantMetrics } from '../data/source-facts.js';
import { follow, view } from '../state/page.js';
import { laneOf } from '../state/url-state.js';
import { ChartScreen } from './chart.js';
import { escapeGlob, whoLink } from './who-link.js';

/** What is drawn of a process. */
const PROCESS_LANES = [
  ['proc.cpu.util'],
  ['proc.psinfo.rss'],
  ['proc.io.read_bytes', 'proc.io.write_bytes'],
  ['proc.psinfo.threads'],
  ['proc.fd.count'],
] as const;
/** What is drawn of a control group: of version 2, or else of version 1. */
const GROUP_LANES = [
  [['cgroup.cpu.stat.usage'], ['cgroup.cpuacct.usage']],
  [['cgroup.memory.current'], ['cgroup.memory.usage']],
  [
    ['cgroup.io.stat.rbytes', 'cgroup.io.stat.wbytes'],
    ['cgroup.blkio.all.throttle.io_service_bytes.read', 'cgroup.blkio.all.throttle.io_service_bytes.write'],
  ],
  [['cgroup.pmgate.pids.current']],
] as const;
const GROUP_FACTS: readonly string[] = ['cgroup.memory.id.container', 'cgroup.cpuacct.id.container'];
const MOST_MEMBERS = 20;
/** After so many samples, what has no values has none. */
const READ_AFTER = 3;

/** A process by its number, or a control group by its path: who it is, and what it uses over time. */
export function ProcessScreen(): JSX.Element {
  const {
    words,
    on: [source = ''],
  } = view.value;
  return <ChartScreen overview={<Used key={`${source} ${words}`} source={source} who={words} />} />;
}

function Used({ source, who }: { readonly source: string; readonly who: string }): JSX.Element {
  const [joined, past] = useMemo(() => [new JoinedFeed([source]), new JoinedFeed([source])] as const, []);
  const { feed } = joined.parts[0]!;
  useEffect(
    () => () => {
      joined.close();
      past.close();
    },
    [joined, past],
  );
  const isGroup = !/^\d+$/.test(who);
  const lanes = isGroup ? GROUP_LANES.flat() : PROCESS_LANES;
  const names = [...(isGroup ? GROUP_FACTS : IDENTITY_METRICS), ...lanes.flat()];
  useEffect(() => void wantMetrics(source, names), [source, who]);
  useSignalEffect(() => {
    const { isKnown, recorded } = factsOf(source).value;
    const only = isGroup ? { iname: [who] } : { instance: [Number(who)] };
    if (isKnown && who !== '') feed.want({ source, names, isRate: true, only, time: feedTime(recorded) });
  });
  const instance = useComputed(() => {
    follow(feed.version);
    const series = feed.table.series.find((each) => each.instance !== null);
    return series ? instanceText(series) : '';
  }).value;
  const hasValues = useComputed(() => {
    follow(feed.version);
    const { series } = feed.table;
    return lanes.map((metrics) => series.some(({ metric }) => (metrics as readonly string[]).includes(metric))).join();
  })
    .value.split(',')
    .map((each) => each === 'true');
  const isRead = useComputed(() => {
    const { resolution, version } = feed;
    return resolution.value !== undefined && (!resolution.value.isLive || version.value > READ_AFTER);
  }).value;
  const shown = lanes.flatMap((metrics, index) =>
    hasValues[index] === true || (!isGroup && !isRead) ? [{ metrics: metrics as readonly string[], index }] : [],
  );
  if (who === '') return <p class="empty">No process is chosen: the rows of Now lead here.</p>;
  return (
    <div class="process">
      {isGroup ? (
        <GroupFacts source={source} group={who} feed={feed} />
      ) : (
        <Facts pid={who} source={source} feed={feed} />
      )}
      <LaneTrouble names={[]} source={source} feed={feed} />
      {isRead && shown.length === 0 ? (
        <p class="empty">
          Nothing was sampled of it in this time. What is recorded of others: the busiest processes only.
        </p>
      ) : null}
      <div class="lanes">
        {shown.map(({ metrics, index }) => (
          <LanePanel
            key={metrics.join('+')}
            {...{ index, sources: [source], feed: joined, names: metrics, pastFeed: past }}
            lane={{ ...laneOf(...metrics), ...(instance === '' ? {} : { instances: escapeGlob(instance) }) }}
            window={shownWindow}
            zone={shownZone}
          >
            {null}
          </LanePanel>
        ))}
      </div>
    </div>
  );
}

/** Who a process is. */
function Facts({
  pid,
  source,
  feed,
}: {
  readonly pid: string;
  readonly source: string;
  readonly feed: Feed;
}): JSX.Element {
  const facts = useComputed(() => {
    follow(feed.version);
    return processFacts(feed.table);
  }).value;
  const { name, commandLine = '', user, parent, groups, container, began, count, lastSeen, isGone } = facts;
  const zone = shownZone.value;
  // Without command lines, there is the name in parentheses.
  const isLine = commandLine !== `(${name ?? ''})`;
  return (
    <header class="identity">
      <h2>
        {name ?? 'Process'} <span class="quiet">{pid}</span>
      </h2>
      <dl>
        <Fact term="command">{isLine ? commandLine : ''}</Fact>
        <Fact term="user">{user}</Fact>
        <Fact term="parent">{parent === undefined ? '' : <a href={whoLink(source, String(parent))}>{parent}</a>}</Fact>
        {groups.map((group) => (
          <Fact key={group} term="group">
            <a href={whoLink(source, group)}>{group}</a>
          </Fact>
        ))}
        <Fact term="container">{container}</Fact>
        <Fact term="began">{began === undefined ? '' : instantText(began, zone)}</Fact>
        <Fact term="last seen">{isGone && lastSeen !== undefined ? instantText(lastSeen, zone) : ''}</Fact>
      </dl>
      <p class="quiet">
        {count > 1 ? `${count} processes had this number in this time, one after another; above is the last. ` : ''}
        Processor time is in per cent of one processor; Now has shares of the machine.
      </p>
    </header>
  );
}

function Fact({ term, children }: { readonly term: string; readonly children?: JSX.Element | string | undefined }) {
  return children === undefined || children === '' ? null : (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A control group, with its processes at this moment. */
function GroupFacts({
  source,
  group,
  feed,
}: {
  readonly source: string;
  readonly group: string;
  readonly feed: Feed;
}): JSX.Element {
  const container = useComputed(() => {
    follow(feed.version);
    const found = feed.table.series.find(({ metric }) => GROUP_FACTS.includes(metric));
    const name = found?.cells.findLast((cell) => typeof cell === 'string');
    return typeof name === 'string' ? name : '';
  }).value;
  const members = useMembers(source, group).value;
  return (
    <header class="identity">
      <h2>{group}</h2>
      <dl>
        <Fact term="container">{container}</Fact>
        {members && members.length > 0 ? (
          <Fact term="processes">
            <>
              {members.slice(0, MOST_MEMBERS).map(({ pid, name }) => (
                <a key={pid} href={whoLink(source, String(pid))}>
                  {name} ({pid}){' '}
                </a>
              ))}
              {members.length > MOST_MEMBERS ? `and ${members.length - MOST_MEMBERS} more` : ''}
            </>
          </Fact>
        ) : null}
      </dl>
      <p class="quiet">
        Its processes are those of this moment, with those of groups below it. Processor time is in per cent of one
        processor.
      </p>
    </header>
  );
}

interface Member {
  readonly pid: number;
  readonly name: string;
}

/** The processes of a group and of those below it, asked once; of an archive, or where they are hidden, none. */
function useMembers(source: string, group: string): Signal<readonly Member[] | undefined> {
  const members = useSignal<readonly Member[] | undefined>(undefined);
  const live = isLive.value;
  useEffect(() => {
    members.value = undefined;
    if (!live) return undefined;
    const controller = new AbortController();
    const names = ['proc.psinfo.cgroups', 'proc.psinfo.cmd'];
    client.fetch({ names, ...whereOf(source), signal: controller.signal }).then(
      ({ values }) => {
        const textsOf = (metric: string): ReadonlyMap<number | null, string> =>
          new Map(
            (values.find(({ name }) => name === metric)?.instances ?? []).map((each) => [
              each.instance,
              String(each.value),
            ]),
          );
        const commands = textsOf('proc.psinfo.cmd');
        members.value = [...textsOf('proc.psinfo.cgroups')].flatMap(([pid, text]) =>
          pid !== null && groupsOf(text).some((path) => `${path}/`.startsWith(`${group}/`))
            ? [{ pid, name: commands.get(pid) ?? '' }]
            : [],
        );
      },
      () => undefined,
    );
    return () => controller.abort();
  }, [source, group, live]);
  return members;
}
