import { makeIndom, makePmid } from '../../src/pmapi/index.js';
import { Api } from '../support/api.js';
import { descriptor, memoryGateway } from '../support/memory-gateway.js';
import type { MemoryContent } from '../support/memory-source.js';

const MOST = 30;
/** Of which no more than three fit. */
const LONG = 'x'.repeat((MOST * 64) / 4);

const [MANY, FEW, WORDY] = [makeIndom(100, 1), makeIndom(100, 2), makeIndom(100, 3)];
const numbered = (count: number): { id: number; name: string }[] =>
  Array.from({ length: count }, (_, id) => ({ id, name: `i${id}` }));
const valuesOf = (count: number): ReadonlyMap<number, number> => new Map(numbered(count).map(({ id }) => [id, id]));

const CONTENT: MemoryContent = {
  hostName: 'huge',
  metrics: [
    { name: 'indoms.many', descriptor: descriptor(makePmid(100, 1, 1), { indom: MANY }), values: valuesOf(MOST + 1) },
    { name: 'indoms.few', descriptor: descriptor(makePmid(100, 1, 2), { indom: FEW }), values: valuesOf(3) },
    { name: 'indoms.wordy', descriptor: descriptor(makePmid(100, 1, 3), { indom: WORDY }), values: valuesOf(5) },
    ...Array.from({ length: MOST + 1 }, (_, i) => ({
      name: `wide.m${i}`,
      descriptor: descriptor(makePmid(100, 2, i)),
      values: i,
    })),
    ...Array.from({ length: 5 }, (_, i) => ({
      name: `long.m${i}`,
      descriptor: descriptor(makePmid(100, 3, i)),
      help: LONG,
      values: i,
    })),
  ],
  indoms: [
    { indom: MANY, instances: numbered(MOST + 1) },
    { indom: FEW, instances: numbered(3) },
    { indom: WORDY, instances: numbered(5).map(({ id, name }) => ({ id, name: `${name} ${LONG}` })) },
  ],
};

const limits = { urlBytes: 16_384, bodyBytes: 16_384, names: 100, values: MOST };
const api = Api.serving(memoryGateway({ content: CONTENT }), { limits });

describe('limits.values', () => {
  it.each([
    ['instances', '/pmapi/indom?name=indoms.many'],
    ['instances of the underscore form', '/pmapi/_indom?name=indoms.many'],
    ['instances of long names', '/pmapi/indom?name=indoms.wordy'],
    ['children', '/pmapi/children?prefix=wide'],
    ['metrics', '/pmapi/metric?prefix=wide'],
    ['metrics with long help texts', '/pmapi/metric?prefix=long'],
    ['metrics of a list', `/pmapi/metric?names=${Array.from({ length: MOST + 1 }, () => 'indoms.few').join()}`],
    ['values of an expression that is checked', '/derived/check?expr=indoms.many'],
    ['values', '/pmapi/fetch?names=indoms.many'],
  ])('holds for %s', async (_, url) => {
    const { status, json } = await api.get(url);
    expect([status, json.code]).toEqual([413, 'LIMIT_EXCEEDED']);
    expect(json.message).toContain(`one response may have ${MOST} (limits.values)`);
  });

  it.each([
    '/pmapi/indom?name=indoms.few',
    '/pmapi/indom?name=indoms.many&instance=1,2',
    '/pmapi/indom?name=indoms.wordy&instance=1,2',
    '/pmapi/children?prefix=',
    '/pmapi/children?prefix=indoms',
    '/pmapi/metric?prefix=indoms',
    '/pmapi/metric?names=long.m1,wide.m1',
    '/derived/check?expr=indoms.few',
  ])('lets through what fits: %s', async (url) => {
    expect((await api.get(url)).status).toBe(200);
  });
});
