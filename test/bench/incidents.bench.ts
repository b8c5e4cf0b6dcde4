/**
 * How often planted incidents are found, and how often something is found where there is none: windows of 1,000 metrics × 16 instances
 * with one, three and zero series whose level moved, of 100 seeds each.
 */
import { findChanges } from '../../src/features/changes/find-changes.js';
import type { Finding } from '../../src/features/changes/sentence.js';
import { atOnce } from '../../src/kit/index.js';
import { plantIncidents } from '../features/changes/planted-incidents.js';
import { BUDGETS } from './budgets.js';
import { heading, IS_QUICK, report } from './support/report.js';

const SIZE = IS_QUICK ? { metrics: 40, instances: 4 } : { metrics: 1000, instances: 16 };
const SEEDS = IS_QUICK ? 5 : 100;
/** Findings among which a planted incident should be. */
const FIRST = 5;

function namesOf(findings: readonly Finding[]): ReadonlySet<string> {
  const series = findings.flatMap((finding) => ('lead' in finding ? [finding.lead, ...finding.alike] : []));
  return new Set(series.map(({ after }) => `${after.metric.name} ${after.instance}`));
}

heading(`incidents in ${SIZE.metrics} metrics × ${SIZE.instances} instances, ${SEEDS} seeds`);
for (const incidents of [1, 3]) {
  let found = 0;
  for (let seed = 0; seed < SEEDS; seed++) {
    const { before, after, planted } = plantIncidents({ seed: seed * 7919 + incidents, incidents, ...SIZE });
    const first = namesOf(atOnce(findChanges(before, after)).findings.slice(0, FIRST));
    if (planted.every((name) => first.has(name))) found++;
  }
  const name = `${incidents} planted: all among the first ${FIRST} findings`;
  report(name, found / SEEDS, 'of the seeds', BUDGETS.incidentsFound.limit);
}
let most = 0;
for (let seed = 0; seed < SEEDS; seed++) {
  const { before, after } = plantIncidents({ seed: seed * 7919, incidents: 0, ...SIZE });
  most = Math.max(most, atOnce(findChanges(before, after)).findings.length);
}
report('none planted: findings, at most', most, '', BUDGETS.incidentsNone.limit);
