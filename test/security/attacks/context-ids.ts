import { type Attack, type Verdict, open, refused, skipped, verdictOf } from '../attack.js';
import type { Target } from '../target.js';

const AREA = 'guessing contexts';
const DRAWN = 24;

async function drawIds(target: Target): Promise<readonly number[]> {
  const ids: number[] = [];
  for (let i = 0; i < DRAWN; i++) {
    const { status, body } = await target.get('/pmapi/context?polltimeout=5');
    const id = status === 200 ? (JSON.parse(body) as { context?: number }).context : undefined;
    if (id === undefined) return [];
    ids.push(id);
  }
  return ids;
}

async function unpredictable(target: Target): Promise<Verdict> {
  const ids = await drawIds(target);
  if (ids.length === 0) return skipped('no context may be made');
  const sorted = [...ids].sort((a, b) => a - b);
  const gaps = sorted.slice(1).map((id, i) => id - sorted[i]!);
  // Each bit of 53 is as often set as not; with 24 draws none is always the same but by a chance of one in 300000.
  const stuck = Array.from(
    { length: 52 },
    (_, bit) => ids.filter((id) => Math.floor(id / 2 ** bit) % 2 === 1).length,
  ).filter((set) => set === 0 || set === DRAWN);
  await Promise.all(ids.map((id) => target.request('DELETE', `/pmapi/${id}`)));
  return verdictOf(
    [
      new Set(ids).size === ids.length ? undefined : 'one came twice',
      Math.max(...ids) > 2 ** 48 ? undefined : `the largest of ${DRAWN} is ${Math.max(...ids)}`,
      gaps.every((gap) => gap > 1e6) ? undefined : 'two lie close together',
      stuck.length === 0 ? undefined : `${stuck.length} bits never change`,
    ],
    '53 bits, none predictable',
  );
}

/** Identifiers at the edges of numbers, and such as are none. */
async function oddIds(target: Target): Promise<Verdict> {
  const ids = ['0', '1', '-1', '4294967296', '9007199254740991', '9007199254740992', '1e3', '0x1', '%31', '1.0', '٣'];
  const findings = await Promise.all(
    ids.map(async (id) => {
      const { status } = await target.get(`/pmapi/fetch?context=${encodeURI(id)}&names=pmcd.version`);
      return status >= 400 && status < 500 ? undefined : `${id}: ${status}`;
    }),
  );
  return verdictOf(findings, 'unknown or no identifiers');
}

/** How soon an identifier is refused does not tell how near it is. */
async function byTime(target: Target): Promise<Verdict> {
  const { status, body } = await target.get('/pmapi/context?polltimeout=5');
  if (status !== 200) return skipped('no context may be made');
  const { context } = JSON.parse(body) as { context: number };
  const near = await target.get(`/pmapi/${context - 1}/context`);
  const elsewhere = context > 2 ** 52 ? context - 2 ** 51 : context + 2 ** 51;
  const far = await target.get(`/pmapi/${elsewhere}/context`);
  await target.request('DELETE', `/pmapi/${context}`);
  const plain = (text: string, id: number): string => text.replaceAll(String(id), 'N');
  const alike = near.status === far.status && plain(near.body, context - 1) === plain(far.body, elsewhere);
  return alike ? refused(String(far.status)) : open(`${near.status} ${near.body} and ${far.status} ${far.body}`);
}

/** A context is protected by its number, where it has no owner. */
export const CONTEXT_IDS: readonly Attack[] = [
  { area: AREA, name: 'predicting identifiers', run: unpredictable },
  { area: AREA, name: 'identifiers that are odd', run: oddIds },
  { area: AREA, name: 'getting nearer', run: byTime },
];
