import { plainName, ProcessLedger } from '../../src/culprits/index.js';
import type { ProcessReading } from '../../src/culprits/index.js';
import { makeTimestamp } from '../../src/pmapi/index.js';

const at = (sec: number) => makeTimestamp(1000 + sec, 0);

function reading(
  pid: number,
  startMs: number,
  own: number | undefined,
  more: Partial<ProcessReading> & { parent?: number } = {},
): ProcessReading {
  const { parent, ...rest } = more;
  const identity = { pid, startMs, name: `p${pid}`, parent, user: undefined, group: undefined, container: undefined };
  return { identity, uptimeSec: undefined, own, children: 0, ...rest };
}

const risesOf = (ledger: ProcessLedger) =>
  Object.fromEntries(
    ledger.uses().map(({ identity, rise, ofChildren }) => [`${identity.pid}/${identity.startMs}`, [rise, ofChildren]]),
  );

describe('ProcessLedger', () => {
  it('counts what counters rose between the first and the last moment', () => {
    const ledger = new ProcessLedger(true);
    ledger.enter(at(0), [reading(1, 5, 100), reading(2, 6, 50)]);
    ledger.enter(at(10), [reading(1, 5, 160), reading(2, 6, 50)]);
    expect(ledger.seconds).toBe(10);
    expect(risesOf(ledger)).toEqual({ '1/5': [60, 0], '2/6': [0, 0] });
  });

  it('takes a pid that is used again for another process', () => {
    const ledger = new ProcessLedger(true);
    ledger.enter(at(0), [reading(7, 1_000, 500)]);
    ledger.enter(at(10), [reading(7, 60_000, 30, { uptimeSec: 65 })]);
    expect(risesOf(ledger)).toEqual({ '7/1000': [0, 0], '7/60000': [30, 0] });
  });

  it('counts from 0 for a process that began within, and from its first reading for one that was only not seen', () => {
    const ledger = new ProcessLedger(true);
    ledger.enter(at(0), [reading(1, 0, 0)]);
    ledger.enter(at(10), [reading(2, 95_000, 40, { uptimeSec: 100 }), reading(3, 10_000, 9_000, { uptimeSec: 100 })]);
    ledger.enter(at(20), [reading(2, 95_000, 90, { uptimeSec: 110 }), reading(3, 10_000, 9_010, { uptimeSec: 110 })]);
    expect(risesOf(ledger)).toMatchObject({ '2/95000': [90, 0], '3/10000': [10, 0] });
  });

  it('charges children that ended to the parent that waited, without what they used before', () => {
    const ledger = new ProcessLedger(true);
    ledger.enter(at(0), [reading(1, 0, 10), reading(2, 5, 300, { parent: 1 })]);
    ledger.enter(at(10), [reading(1, 0, 10, { children: 350 })]);
    expect(risesOf(ledger)).toMatchObject({ '1/0': [0, 50] });
  });

  it('tells levels as they are, falling ones too, and leaves out what may not be read', () => {
    const ledger = new ProcessLedger(false);
    ledger.enter(at(0), [reading(1, 0, 100), reading(2, 0, undefined)]);
    ledger.enter(at(10), [reading(1, 0, 40), reading(2, 0, undefined)]);
    expect(ledger.uses().map(({ rise, last }) => [rise, last])).toEqual([[-60, 40]]);
  });
});

describe('plainName', () => {
  it.each([
    ['node', 'node'],
    ['a\u001b[31mred\n', 'a?[31mred?'],
    ['left\u202eright', 'left?right'],
    ['x'.repeat(300), `${'x'.repeat(255)}…`],
  ])('makes %j harmless', (text, plain) => expect(plainName(text)).toBe(plain));
});
