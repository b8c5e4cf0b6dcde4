import fc from '../../support/properties.js';
import {
  decodeLane,
  decodeView,
  encodeLane,
  encodeView,
  encodeWords,
  isMetricName,
  LANE_FORMS,
  laneOf,
  MAX_TOP,
  SCREENS,
} from '../../../src/features/console/page/state/url-state.js';
import type { Lane, TimeChoice, View } from '../../../src/features/console/page/state/url-state.js';

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,5}(\.[a-z0-9_]{1,6}){0,3}$/);
const text = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
const moment = fc.integer({ min: 0, max: 4e12 }).map((ms) => ms / 1000);

const lane: fc.Arbitrary<Lane> = fc
  .record(
    {
      metrics: fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
      top: fc.integer({ min: 1, max: MAX_TOP }),
      instances: text,
      isRaw: fc.boolean(),
      form: fc.constantFrom(...LANE_FORMS),
      fits: fc.boolean(),
    },
    { requiredKeys: ['metrics', 'top', 'isRaw', 'fits'] },
  )
  .map((made) => made as Lane);

const span = fc
  .tuple(moment, moment)
  .filter(([a, b]) => a !== b)
  .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));

const time: fc.Arbitrary<TimeChoice> = fc.oneof(
  fc.constant({ kind: 'default' } as const),
  fc.integer({ min: 1, max: 1e6 }).map((spanSec) => ({ kind: 'live', spanSec }) as const),
  span.map((chosen) => ({ kind: 'fixed', ...chosen }) as const),
);

const view: fc.Arbitrary<View> = fc
  .record(
    {
      screen: fc.constantFrom(...SCREENS),
      on: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
      time,
      lanes: fc.array(lane, { maxLength: 5 }),
      definitions: fc.uniqueArray(fc.record({ name, expression: text }), {
        maxLength: 2,
        selector: (made) => made.name,
      }),
      after: span,
      before: span,
      words: fc.oneof(fc.constant(''), text),
      cursor: moment,
      shift: fc.integer({ min: 1, max: 1e6 }),
      zone: text,
      unknown: fc.array(fc.tuple(fc.stringMatching(/^x[a-z]{1,5}$/), fc.string({ unit: 'grapheme' })), {
        maxLength: 3,
      }),
    },
    { requiredKeys: ['screen', 'on', 'time', 'lanes', 'words', 'definitions', 'unknown'] },
  )
  .map((made) => made as View);

function roundTrip(given: View): View {
  const address = encodeView(given);
  const mark = address.indexOf('?');
  return decodeView(given.screen, mark === -1 ? '' : address.slice(mark));
}

describe('the address of a view', () => {
  it('says everything', () => {
    fc.assert(fc.property(view, (given) => expect(roundTrip(given)).toEqual(given)));
  });

  it('is the same to read with words that are added to it', () => {
    fc.assert(
      fc.property(view, fc.string({ unit: 'grapheme', minLength: 1 }), (given, words) => {
        const address = encodeWords(given)(words);
        expect(decodeView(given.screen, address.slice(address.indexOf('?')))).toEqual({ ...given, words });
      }),
    );
  });

  it('is read whatever it holds, and keeps what it does not understand', () => {
    const ours = ['on', 't', 'lane', 'q', 'cur', 'z', 'def', 'a', 'b', 'shift'];
    const key = fc.constantFrom(...ours, '', 'constructor', '__proto__', 'toString');
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.string())), (pairs) => {
        const query = new URLSearchParams(pairs).toString();
        const decoded = decodeView('chart', query);
        expect(roundTrip(decoded)).toEqual(decoded);
      }),
    );
  });

  it.each([
    ['', './'],
    ['chart?lane=kernel.all.load&lane=disk.dev.await~top:4~i:sd*&t=-30min&on=web1', undefined],
  ])('is short and can be read: %s', (address, expected) => {
    const [path = '', query = ''] = address.split('?');
    const encoded = encodeView(decodeView(path as View['screen'], query));
    expect(encoded).toBe(expected ?? 'chart?on=web1&t=-30min&lane=kernel.all.load&lane=disk.dev.await~top:4~i:sd*');
  });

  it.each([
    ['1d', 86_400, '1d'],
    ['1w', 604_800, '7d'],
    ['60min', 3600, '1h'],
    ['90m', 5400, '90min'],
    ['5s', 5, '5sec'],
  ])('has how much earlier other samples are: %s', (typed, shift, written) => {
    const decoded = decodeView('chart', `shift=${typed}`);
    expect(decoded).toMatchObject({ shift, unknown: [] });
    expect(encodeView(decoded)).toBe(`chart?shift=${written}`);
  });

  it.each(['0d', '-1d', '1.5h', '99999d', '1y', 'd', '1d&shift=2d'])('refuses to be earlier by %s', (typed) => {
    expect(decodeView('chart', `shift=${typed}`).unknown).toHaveLength(1);
  });

  it('names what it does not understand', () => {
    expect(
      decodeView('chart', 'lane=1bad&t=whenever&def=a.b&shift=soon&a=1/2&lane=ok~as:pie&on=&cur=soon').unknown,
    ).toEqual([
      ['lane', '1bad'],
      ['t', 'whenever'],
      ['def', 'a.b'],
      ['shift', 'soon'],
      ['a', '1/2'],
      ['lane', 'ok~as:pie'],
      ['on', ''],
      ['cur', 'soon'],
    ]);
  });
});

describe('the name of a metric', () => {
  it('is words between dots, the first of which begins with a letter', () => {
    const component = fc.oneof(
      fc.stringMatching(/^\w{1,4}$/),
      fc.constantFrom('a', 'b9', '', '9digit', '_x', 'a b', 'ä', '-'),
    );
    fc.assert(
      fc.property(fc.array(component, { minLength: 1, maxLength: 4 }), (components) => {
        const isName = components.every((each) => /^\w+$/.test(each)) && /^[A-Za-z]/.test(components[0]!);
        expect([components, isMetricName(components.join('.'))]).toEqual([components, isName]);
      }),
    );
  });
});

describe('a lane in an address', () => {
  it('says everything', () => {
    fc.assert(fc.property(lane, (given) => expect(decodeLane(encodeLane(given))).toEqual(given)));
  });

  it.each(['', 'a..b+', 'a+a', 'a~top:0', 'a~top:65', 'a~top:1e3', 'a~raw:1', 'a~i:', '../x', 'a b'])(
    'refuses %j',
    (bad) => {
      const lanes = decodeLane(bad);
      expect(lanes === undefined || encodeLane(lanes) === bad).toBe(true);
    },
  );

  it('has defaults', () => {
    expect(decodeLane('a.b')).toEqual(laneOf('a.b'));
  });
});
