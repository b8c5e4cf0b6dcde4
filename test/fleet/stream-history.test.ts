import { type StreamEvent, streamProblems } from './support/stream-history.js';

const INTERVAL_MS = 1000;
const at = (sec: number): bigint => BigInt(sec * 1e9);
const sample = (sec: number): StreamEvent => ({ kind: 'sample', id: at(sec) });
const gap = (from: number, to: number): StreamEvent => ({ kind: 'gap', from: at(from), to: at(to) });
const reconnected: StreamEvent = { kind: 'reconnected' };

describe('streamProblems()', () => {
  it.each<[string, readonly StreamEvent[]]>([
    ['samples in order', [sample(1), sample(2), sample(3)]],
    ['a client that resumes where it was', [sample(1), reconnected, sample(2)]],
    ['a hole that is told', [sample(1), reconnected, gap(1, 5), sample(5)]],
    ['a hole with remembered samples in it', [sample(1), reconnected, sample(2), gap(2, 5), sample(5)]],
    ['a sampler that paused', [sample(1), sample(9)]],
    ['nothing', []],
  ])('finds nothing wrong with %s', (_, events) => {
    expect(streamProblems(events, INTERVAL_MS)).toEqual([]);
  });

  it.each<[string, readonly StreamEvent[], string]>([
    ['a sample that comes twice', [sample(1), reconnected, sample(1)], 'comes twice'],
    ['a sample that comes late', [sample(2), sample(1)], 'comes after'],
    ['a hole that is not told', [sample(1), reconnected, sample(6)], 'nothing tells'],
    ['a hole of which a part is told', [sample(1), reconnected, gap(1, 3), sample(9)], 'nothing tells'],
    [
      'a hole that was told before',
      [sample(1), reconnected, gap(0, 9), sample(2), reconnected, sample(9)],
      'nothing tells',
    ],
  ])('finds %s', (_, events, problem) => {
    expect(streamProblems(events, INTERVAL_MS)).toEqual([expect.stringContaining(problem)]);
  });
});
