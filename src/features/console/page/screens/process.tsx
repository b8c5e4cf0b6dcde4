import { useComputed, useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useFlags, useOwn } from '../parts/use-own.js';
import { instantText } from '../chart/axis-times.js';
import { LanePanel } from '../chart/lane.js';
import { feedTrouble, LaneTrouble } from '../chart/lane-words.js';
import type { Feed } from '../data/feed.js';
import { client, whereOf } from '../data/gateway.js';
import { JoinedFeed } from '../data/joined-feed.js';
import { groupsOf, IDENTITY_METRICS, processFacts } from '../data/process-facts.js';
import { feedTime, isLive, shownZone } from '../data/shown-time.js';
import { factsOf, wantMetrics } from '../data/source-facts.js';
import { Facts, Link } from '../parts/controls.js';
import { useAnswer } from '../parts/use-answer.js';
import { view } from '../state/page.js';
import { laneOf } from '../state/url-state.js';
import { ChartScreen } from './chart.js';
import { escapeGlob, whoLink } from './who-link.js';

/** What is drawn of a process. */
const PROCESS_LANES: readonly (readonly string[])[] = [
  ['proc.cpu.util'],
  ['proc.psinfo.rss'],
  ['proc.io.read_bytes', 'proc.io.write_bytes'],
  ['proc.psinfo.threads'],
  ['proc.fd.count'],
];
/** What is drawn of a control group: of version 2, and of version 1. */
const GROUP_LANES: typeof PROCESS_LANES = [
  ['cgroup.cpu.stat.usage'],
  ['cgroup.cpuacct.usage'],
  ['cgroup.memory.current'],
  ['cgroup.memory.usage'],
  ['cgroup.io.stat.rbytes', 'cgroup.io.stat.wbytes'],
  ['cgroup.blkio.all.throttle.io_service_bytes.read', 'cgroup.blkio.all.throttle.io_service_bytes.write'],
  ['cgroup.pmgate.pids.current'],
];
const GROUP_FACTS: readonly string[] = ['cgroup.memory.id.container', 'cgroup.cpuacct.id.container'];
const MOST_MEMBERS = 20;
/** After so many samples, what has no values has none. */
const READ_AFTER = 3;

/** A process by its number, or a control group by its path: who it is, and what it uses over time. */
export function ProcessScreen() {
  const { words, on } = view.value;
  return <ChartScreen overview={<Used key={`${on[0]} ${words}`} source={on[0]!} who={words} />} />;
}

function Used({ source, who }: { readonly source: string; readonly who: string }) {
  const joined = useOwn(() => new JoinedFeed([source]));
  const { feed } = joined.parts[0]!;
  const isGroup = !/^\d+$/.test(who);
  // Where one recording follows another, instances may have other numbers than their processes.
  const pattern = isGroup ? escapeGlob(who) : `${who.padStart(6, '0')} *`;
  const lanes = isGroup ? GROUP_LANES : PROCESS_LANES;
  const names = [...(isGroup ? GROUP_FACTS : IDENTITY_METRICS), ...lanes.flat()];
  useEffect(() => void wantMetrics(source, names), [source, who]);
  useSignalEffect(() => {
    const { isKnown } = factsOf(source).value;
    const only = { iname: [pattern, ...(isGroup ? [`${pattern}::*`] : [])], match: 'glob' } as const;
    if (isKnown && who !== '') feed.want({ source, names, isRate: true, only, time: feedTime(source) });
  });
  const hasValues = useFlags(() => {
    const { series } = feed.latest;
    return lanes.map((metrics) =>
      // Threads of the kernel have no memory.
      series.some(
        ({ metric, cells }) => metrics.includes(metric) && (metric !== 'proc.psinfo.rss' || cells.some(Boolean)),
      ),
    );
  });
  const isRead = useComputed(() => {
    const { resolution, version, warnings } = feed;
    if (lanes.flat().every((name) => warnings.value.has(name))) return true;
    return resolution.value !== undefined && (!resolution.value.isLive || version.value > READ_AFTER);
  }).value;
  const shown = lanes.flatMap((metrics, index) =>
    hasValues[index] === true || (!isGroup && !isRead && !feedTrouble(feed, source)) ? [{ metrics, index }] : [],
  );
  if (who === '') {
    return (
      <p class="empty">
        No process is chosen: <Link text="Processes" to={{ screen: 'processes' }} /> lists them.
      </p>
    );
  }
  return (
    <div class="process">
      {isGroup ? <GroupIdentity {...{ source, who, feed }} /> : <ProcessIdentity {...{ source, who, feed }} />}
      {shown.length === 0 ? (
        <LaneTrouble names={[]} source={source} feed={feed} />
      ) : (
        <p class="quiet">Processor time is in per cent of one processor; the first screen has shares of the machine.</p>
      )}
      {isRead && shown.length === 0 ? (
        <p class="empty">
          Nothing was sampled of it in this time: it had ended, is hidden, or was not among the busiest, which alone are
          recorded.
        </p>
      ) : null}
      <div class="lanes">
        {shown.map(({ metrics, index }, place) => (
          <LanePanel
            key={metrics.join('+')}
            {...{ index, sources: [source], feed: joined, names: metrics }}
            isRest={place > 0}
            lane={{
              ...laneOf(...metrics),
              instances: pattern + (metrics[0]?.startsWith('cgroup.io.stat.') ? '::*' : ''),
            }}
          >
            {null}
          </LanePanel>
        ))}
      </div>
    </div>
  );
}

interface IdentityProps {
  readonly source: string;
  readonly who: string;
  readonly feed: Feed;
}

function ProcessIdentity({ source, who, feed }: IdentityProps) {
  const facts = useComputed(() => processFacts(feed.latest)).value;
  const { name = '', commandLine = '', user, parent, groups, container, began, count, lastSeen, isGone } = facts;
  const timeText = (at: number | undefined): string => (at === undefined ? '' : instantText(at, shownZone.value));
  return (
    <Identity
      title={name === '' ? 'Process' : name}
      number={who}
      facts={[
        // Without command lines, there is the name in parentheses.
        ['command', commandLine === `(${name})` ? '' : commandLine],
        ['user', user],
        ['parent', parent === undefined ? '' : <a href={whoLink(source, String(parent))}>{parent}</a>],
        ...groups.map((group) => ['group', <a href={whoLink(source, group)}>{group}</a>] as const),
        ['container', container],
        ['began', timeText(began)],
        ['last seen', isGone ? timeText(lastSeen) : ''],
      ]}
      note={count > 1 ? `${count} processes had this number in this time; above is the last.` : ''}
    />
  );
}

/** A control group, with its processes at this moment and those of groups below it; of a recording, or where they are hidden, none. */
function GroupIdentity({ source, who, feed }: IdentityProps) {
  const container = useComputed(() => {
    const found = feed.latest.series.find(({ metric }) => GROUP_FACTS.includes(metric));
    return found?.cells.findLast((cell) => typeof cell === 'string') ?? '';
  }).value;
  const { answer: members } = useAnswer(isLive.value ? `${source} ${who}` : undefined, async (signal) => {
    const names = ['proc.psinfo.cgroups', 'proc.psinfo.cmd'];
    const { values } = await client.fetch({ names, ...whereOf(source), signal });
    const [groups, commands] = names.map((name) => values.find((each) => each.name === name)?.instances ?? []);
    return groups!.flatMap(({ instance, value }) => {
      const isIn = groupsOf(String(value)).some((path) => `${path}/`.startsWith(`${who}/`));
      const name = String(commands!.find((each) => each.instance === instance)?.value ?? '');
      return isIn ? [<a href={whoLink(source, String(instance))}>{`${name} (${instance})`}</a>] : [];
    });
  });
  const { length } = members.value ?? [];
  return (
    <Identity
      title={who}
      facts={[
        ['container', container],
        [
          'processes now',
          length === 0 ? (
            ''
          ) : (
            <>{members.value!.slice(0, MOST_MEMBERS).flatMap((link, i) => (i === 0 ? link : [', ', link]))}</>
          ),
        ],
        ['', length > MOST_MEMBERS ? `and ${length - MOST_MEMBERS} more` : ''],
      ]}
    />
  );
}

function Identity(props: { title: string; number?: string; note?: string } & Parameters<typeof Facts>[0]) {
  const { title, number, facts, note } = props;
  return (
    <header class="identity">
      <h2>
        {title} <span class="quiet">{number}</span>
      </h2>
      <Facts facts={facts} />
      <p class="quiet">{note}</p>
    </header>
  );
}
