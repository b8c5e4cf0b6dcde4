import { WriteCoalescer } from '../../src/http/request/exchange.js';
import { ManualLoop } from '../support/loop-timers.js';

/** A coalescer whose turns end when the test says so. */
function coalescerInTurns() {
  const loop = new ManualLoop();
  const sent: string[] = [];
  const coalescer = new WriteCoalescer(loop);
  return {
    sent,
    loop,
    add: (name: string, nowMs: number) => coalescer.add(() => void sent.push(name), nowMs),
    endTurn: () => loop.turn(0),
  };
}

describe('WriteCoalescer', () => {
  it('lets the only answer of a turn wait for nothing', () => {
    const { add, endTurn, sent } = coalescerInTurns();
    for (const name of ['a', 'b', 'c']) {
      add(name, 0);
      expect(sent.at(-1)).toBe(name);
      endTurn();
    }
    expect(sent).toEqual(['a', 'b', 'c']);
  });

  it('asks for nothing at the end of a turn that has one answer: the event loop would go round once more', () => {
    const { add, endTurn, loop } = coalescerInTurns();
    for (const name of ['a', 'b', 'c']) {
      add(name, 0);
      expect(loop.pendingAfterTurn).toBe(0);
      endTurn();
    }
    for (const name of ['d', 'e', 'f']) add(name, 0);
    expect(loop.pendingAfterTurn).toBe(1);
  });

  it('sends the others of a turn together at its end, in order', () => {
    const { add, endTurn, sent } = coalescerInTurns();
    add('a', 0);
    add('b', 0.1);
    add('c', 0.2);
    expect(sent).toEqual(['a']);
    endTurn();
    expect(sent).toEqual(['a', 'b', 'c']);
  });

  it('has the first answer wait, too, while turns have several', () => {
    const { add, endTurn, sent } = coalescerInTurns();
    add('a', 0);
    add('b', 0);
    endTurn();
    add('c', 1);
    expect(sent).toEqual(['a', 'b']);
    endTurn();
    expect(sent).toEqual(['a', 'b', 'c']);
    add('d', 2);
    expect(sent.at(-1)).toBe('d');
  });

  it('lets no answer wait for those of more than a millisecond', () => {
    const { add, endTurn, sent } = coalescerInTurns();
    add('a', 0);
    add('b', 0);
    add('c', 0.9);
    expect(sent).toEqual(['a']);
    add('d', 1);
    expect(sent).toEqual(['a', 'b', 'c', 'd']);
    add('e', 1.1);
    expect(sent).toHaveLength(4);
    endTurn();
    expect(sent.at(-1)).toBe('e');
  });
});
