import { readFileSync } from 'node:fs';
import path from 'node:path';
import { RECORDINGS } from '../../access/index.js';
import type { Config } from '../../config/index.js';
import type { Feature } from '../feature.js';
import { Recorder } from './recorder.js';
import type { RecordedGroup } from './recorder.js';

/** The metrics recorded by default: a name per line, and comments. */
const CORE_METRICS = new URL('../../../config/record/core-metrics.txt', import.meta.url);
const CORE_INTERVAL_MS = 10_000;

/** Records the metrics of a host into archives. */
export const recorder: Feature = {
  name: 'recorder',
  keepsArchives: ({ record }) => record.enabled,
  make: ({ config: { record, local }, log, clock, timers, contexts, recordedRoot, ownHost }) => {
    if (!record.enabled) return {};
    const recorder = new Recorder({
      contexts,
      spec: { kind: 'host', hostspec: record.host ?? (local.collector ? 'embedded' : ownHost) },
      groups: recordedGroups(record.groups),
      recordsDerived: (name) => contexts.definitions.get(name)?.origin !== 'api',
      directory: path.join(recordedRoot, RECORDINGS),
      keepDays: record.keepDays,
      keepBytes: record.keepBytes,
      volumeBytes: record.volumeBytes,
      clock,
      timers,
      log,
    });
    return {
      metrics: {
        'pmgate.record.active': () => (recorder.isRecording ? 1 : 0),
        'pmgate.record.samples': () => recorder.statistics.samples,
        'pmgate.record.values': () => recorder.statistics.values,
        'pmgate.record.bytes': () => recorder.statistics.bytes,
        'pmgate.record.errors': () => recorder.statistics.errors,
        'pmgate.record.missed': () => recorder.statistics.missed,
        'pmgate.record.kept_bytes': () => recorder.keptBytes,
      },
      start: () => void recorder.start(),
      close: () => recorder.close(),
    };
  },
};

/** The configured groups, by seconds, or else the core metrics. */
function recordedGroups(groups: Config['record']['groups']): readonly RecordedGroup[] {
  const wanted = Object.entries(groups).map(([sec, metrics]) => ({ intervalMs: Number(sec) * 1000, metrics }));
  if (wanted.length > 0) return wanted;
  const lines = readFileSync(CORE_METRICS, 'utf8').split('\n');
  return [{ intervalMs: CORE_INTERVAL_MS, metrics: lines.filter((line) => /^\w/.test(line)) }];
}
