import { compareTimestamps, formatTimestamp, justBefore, PM_ERR, PmError } from '../../pmapi/index.js';
import type { ArchivePart } from './timeline-part.js';
import type { SkippedArchive } from './timeline-source.js';

/**
 * When the clock was set back, a recorder has archives of the same times: of those, what was recorded last counts, and what an earlier one has
 * from there on is left out. Closes archives of which nothing is left.
 */
export async function withoutPassed(
  parts: readonly ArchivePart[],
): Promise<{ readonly parts: readonly ArchivePart[]; readonly passed: readonly SkippedArchive[] }> {
  const kept: ArchivePart[] = [];
  const passed: SkippedArchive[] = [];
  for (const part of parts) {
    const { name, source, start, end, setBacks = Infinity } = part;
    const later = parts.filter((other) => (other.setBacks ?? 0) > setBacks && compareTimestamps(other.start, end) <= 0);
    const [next] = later.map((other) => other.start).sort(compareTimestamps);
    if (!next) {
      kept.push(part);
      continue;
    }
    if (compareTimestamps(start, next) < 0) kept.push({ ...part, end: justBefore(next) });
    else await source.close();
    const message = `from ${formatTimestamp(next)} on, to which the clock was set back: read it with archive=${name}`;
    passed.push({ name, error: new PmError(PM_ERR.LOGOVERLAP, message) });
  }
  return { parts: kept, passed };
}
