import { type TimeZone } from '../../../../pmapi/index.js';
import { durationText, instantText, timeTicks, windowText, type TimeTick } from '../chart/axis-times.js';
import { BYTES, numberText, valueText } from '../chart/axis-units.js';
import { archiveEntries, archiveTrouble, wantArchives } from '../data/catalogue.js';
import type { ArchiveEntry } from '../data/gateway.js';
import { groupArchives, type ArchiveGroup, type ListedArchive } from '../data/group-archives.js';
import { Button, Failure, Heads, Link, SearchBox, Working } from '../parts/controls.js';
import { zoneOf } from '../data/shown-time.js';
import { useAnswer } from '../parts/use-answer.js';
import { view } from '../state/page.js';
import { EMPTY_VIEW } from '../state/url-state.js';

/** The labels of a scale have room on so many pixels: a ribbon is narrower on no screen. */
const SCALE_PX = 240;
/** From here on, a label stands before its moment; and the distance that labels need, as shares of the scale. */
const [LATE, APART] = [0.7, 0.6];

function ticksOf(start: number, end: number, zone: TimeZone): readonly TimeTick[] {
  let last = Number.NEGATIVE_INFINITY;
  return timeTicks(start, end, SCALE_PX, zone).filter(({ at }) => {
    const hasRoom = at - last >= (end - start) * APART;
    if (hasRoom) last = at;
    return hasRoom;
  });
}

const COLUMNS = [
  ['archive'],
  ['recorded'],
  ['length'],
  ['metrics', 'number'],
  ['size', 'number'],
  ['when', 'wide'],
] as const;

const pick = async (isFolder: boolean): Promise<void> => (await import('../local/open-files.js')).pickFiles(isFolder);
const OPENS = 'Archives of this machine, which stay on it; you can also drop them anywhere on this page';

/** The archives of the gateway and of this machine by host, with their time spans. */
export function ArchivesScreen() {
  const { words } = view.value;
  const { isAsking } = useAnswer('', wantArchives);
  const entries = archiveEntries.value;
  const { groups, broken } = groupArchives(entries ?? [], words);
  const shown = groups.reduce((sum, { archives }) => sum + archives.length, 0);
  return (
    <div class="archives">
      <div class="toolbar">
        <Button text="Open files…" title={OPENS} onClick={() => void pick(false)} />
        <Button text="Open folder…" title={OPENS} onClick={() => void pick(true)} />
        <SearchBox label="Filter archives" placeholder="host, name or date (2025-07)" />
        <span class="quiet" role="status">
          {entries
            ? `${shown + broken.length} of ${entries.length} archives, ${groups.length} ${groups.length === 1 ? 'host' : 'hosts'}`
            : ''}
        </span>
      </div>
      {!entries && isAsking.value ? <Working>Reading the labels of the archives…</Working> : null}
      <Failure trouble={archiveTrouble.value} of="archives" />
      {entries?.length === 0 ? (
        <p class="empty">
          {IS_VIEWER ? (
            'Open the files of an archive, or drop them on this page: they stay on this machine.'
          ) : (
            <>
              This gateway has no archives that you may see. Its configuration names the directories:{' '}
              <code>archives.roots</code>.
            </>
          )}
        </p>
      ) : entries && shown + broken.length === 0 ? (
        <p class="empty">No archive matches {words}.</p>
      ) : null}
      {groups.length === 0 ? null : (
        <table class="listing cards">
          <Heads columns={COLUMNS} />
          {groups.map((group) => (
            <Group key={group.host} group={group} />
          ))}
        </table>
      )}
      {broken.length === 0 ? null : <Broken entries={broken} />}
    </div>
  );
}

function Group({ group: { host, start, end, archives } }: { readonly group: ArchiveGroup }) {
  const zone = zoneOf(archives[0]!.timezone);
  const place = (at: number): string => `${((at - start) / Math.max(end - start, 1e-9)) * 100}%`;
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={5} class="group">
          <strong>{host}</strong>{' '}
          {archives.length === 1 ? null : (
            <span class="quiet">
              {archives.length} archives, {windowText({ start, end }, zone)}
            </span>
          )}
        </th>
        <td class="wide scale" aria-hidden="true">
          {ticksOf(start, end, zone).map(({ at, label, date }) => (
            <span
              key={at}
              style={at < start + (end - start) * LATE ? { left: place(at) } : { right: `calc(100% - ${place(at)})` }}
            >
              {date === undefined || date === label ? label : `${date} ${label}`}
            </span>
          ))}
        </td>
      </tr>
      {archives.map((archive) => (
        <Row key={archive.name} archive={archive} place={place} />
      ))}
    </tbody>
  );
}

/** @param place where a moment is on the scale of the host */
function Row({ archive, place }: { readonly archive: ListedArchive; readonly place: (at: number) => string }) {
  const { name, start, end, timezone, metrics, size } = archive;
  const on = [`archive:${name}`];
  return (
    <tr>
      <th scope="row">
        <Link text={name} to={{ on }} from={EMPTY_VIEW} />
      </th>
      <td data-label="recorded">{instantText(start, zoneOf(timezone))}</td>
      <td data-label="length" data-proof="the last sample - the start in the label">
        {durationText(end - start)}
      </td>
      <td data-label="metrics" class="number" data-proof="metrics in the metadata of the archive">
        {numberText(metrics)}
      </td>
      <td data-label="size" class="number" data-proof="bytes of the files of the archive">
        {valueText(BYTES, size)}
      </td>
      <td class="wide">
        <span class="ribbon" aria-hidden="true">
          <span style={{ left: place(start), right: `calc(100% - ${place(end)})` }} />
        </span>
      </td>
    </tr>
  );
}

function Broken({ entries }: { readonly entries: readonly ArchiveEntry[] }) {
  return (
    <section class="archive-group" aria-label="Archives that cannot be read">
      <h2>Cannot be read</h2>
      <table class="listing cards">
        <tbody>
          {entries.map(({ name, error }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="trouble" colSpan={5}>
                {error?.message} ({error?.code})
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
