import fc from '../../support/properties.js';
import { type Timestamp, compareTimestamps, justAfter } from '../../../src/pmapi/index.js';
import { type Holding, shareOut, spansOf, typicalSpacing } from '../../../src/sources/timeline/merge-rule.js';
import { rows } from '../../support/rows.js';

const at = (sec: number, nsec = 0): Timestamp => ({ sec, nsec });
const held = (spacingSec: number, ...spans: [number, number][]): Holding => ({
  spacingSec,
  spans: spans.map(([from, to]) => ({ from: at(from), to: at(to) })),
});
/** Turns as text: part, first second, and the second that is not the part's any more (`+` for the nanosecond behind). */
const turnsOf = (...holdings: (Holding | undefined)[]): string[] =>
  shareOut(holdings).map(
    ({ part, from, until }) => `${part}: ${from.sec}${from.nsec ? '+' : ''}-${until.sec}${until.nsec ? '+' : ''}`,
  );

describe('shareOut', () => {
  it('gives each part its time where nothing overlaps', () => {
    expect(turnsOf(held(10, [0, 50]), undefined, held(10, [60, 90]))).toEqual(['0: 0-50+', '2: 60-90+']);
  });

  it('prefers the finer part, and the earlier one among equals', () => {
    expect(turnsOf(held(60, [0, 100]), held(1, [40, 60]))).toEqual(['0: 0-40', '1: 40-60+', '0: 60+-100+']);
    expect(turnsOf(held(10, [0, 100]), held(10, [90, 200]))).toEqual(['0: 0-100+', '1: 100+-200+']);
  });

  it('takes spacings for equal that differ by jitter', () => {
    expect(turnsOf(held(10.003, [0, 100]), held(9.998, [90, 200]))).toEqual(['0: 0-100+', '1: 100+-200+']);
  });

  it('fills the gap of a finer part from a coarser one, and leaves a gap that nobody fills to its part', () => {
    expect(turnsOf(held(1, [0, 10], [90, 100]), held(60, [0, 100]))).toEqual(['0: 0-10+', '1: 10+-90', '0: 90-100+']);
    expect(turnsOf(held(1, [0, 10], [90, 100]))).toEqual(['0: 0-100+']);
  });

  it.each<[string, boolean, ...Holding[]]>([
    ['within four times the usual distance of the coarser part', true, held(10, [0, 50]), held(60, [290, 900])],
    ['after a longer pause', false, held(10, [0, 50]), held(60, [291, 900])],
    ['where nothing is known of distances', false, held(Infinity, [0, 50]), held(Infinity, [51, 90])],
    ['to a finer part in the midst of a coarser one', true, held(60, [0, 100]), held(1, [40, 60])],
    ['to a part that was recorded when the first one ended', true, held(10, [0, 100]), held(10, [90, 200])],
    ['to a part that begins behind an interruption', false, held(1, [0, 10], [90, 99]), held(60, [12, 60])],
    ['to a part that held the interruption of the first', true, held(1, [0, 10], [90, 99]), held(60, [9, 60])],
  ])('goes on %s: %p', (_, isContinued, ...holdings) => {
    const [first, second] = shareOut(holdings);
    expect([first!.isContinued, second!.isContinued]).toEqual([false, isContinued]);
  });

  it('ends a part where the next begins at the very same moment', () => {
    expect(turnsOf(held(10, [0, 50]), held(1, [50, 60]))).toEqual(['0: 0-50', '1: 50-60+']);
  });

  it('gives every held moment to exactly one part, which holds it or has it between its spans, and to none that is coarser', () => {
    const span = fc.tuple(fc.nat(40), fc.nat(15)).map(([from, length]) => [from, from + length] as const);
    const holding = fc.record({
      spacingSec: fc.constantFrom(1, 2, 10, 60, Infinity),
      spans: fc.array(span, { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(holding, { maxLength: 5 }), (drawn) => {
        const holdings = drawn.map(({ spacingSec, spans }) => held(spacingSec, ...apart(spans)));
        const turns = shareOut(holdings);
        for (let i = 1; i < turns.length; i++) {
          expect(compareTimestamps(turns[i - 1]!.until, turns[i]!.from)).toBeLessThanOrEqual(0);
        }
        for (let sec = 0; sec <= 60; sec++) {
          const holders = holdings.flatMap((each, part) => (holds(each, sec) ? [part] : []));
          const owners = turns.filter(
            ({ from, until }) => compareTimestamps(from, at(sec)) <= 0 && compareTimestamps(until, at(sec)) > 0,
          );
          if (holders.length === 0) continue;
          expect(owners).toHaveLength(1);
          const owner = owners[0]!.part;
          expect(holders).toContain(owner);
          const finest = Math.min(...holders.map((part) => holdings[part]!.spacingSec));
          expect(holdings[owner]!.spacingSec).toBe(finest);
          expect(owner).toBe(holders.find((part) => holdings[part]!.spacingSec === finest));
        }
      }),
    );
  });
});

describe('spansOf', () => {
  it('cuts at long pauses and at marks', () => {
    const moments = [0, 10, 20, 100, 110, 120, 130].map((sec) => at(sec));
    expect(typicalSpacing(moments)).toBe(10);
    expect(spansOf(moments, [])).toEqual(rows({ from: at(0), to: at(20) }, { from: at(100), to: at(130) }));
    expect(spansOf(moments, [justAfter(at(110))])).toEqual([
      { from: at(0), to: at(20) },
      { from: at(100), to: at(110) },
      { from: at(120), to: at(130) },
    ]);
  });

  it('knows no spacing of fewer than two samples', () => {
    expect(typicalSpacing([at(5)])).toBe(Infinity);
    expect(spansOf([at(5)], [])).toEqual([{ from: at(5), to: at(5) }]);
  });
});

/** Spans in order, those that touch or overlap joined. */
function apart(spans: readonly (readonly [number, number])[]): [number, number][] {
  const joined: [number, number][] = [];
  for (const [from, to] of [...spans].sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

function holds({ spans }: Holding, sec: number): boolean {
  return spans.some(({ from, to }) => from.sec <= sec && sec <= to.sec);
}
