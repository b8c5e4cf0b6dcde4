import { type ContextCall, contextProblems } from './support/context-history.js';

const END_MS = 100;

function call(parts: Partial<ContextCall>): ContextCall {
  return {
    id: 1,
    kind: 'read',
    change: undefined,
    member: 'one',
    beginMs: 0,
    endMs: 1,
    outcome: 'answered',
    definitions: [],
    isAlone: false,
    ...parts,
  };
}

const created = call({ kind: 'create' });
const changed = call({ kind: 'change', change: 'a', definitions: ['a'], beginMs: 2, endMs: 3 });
const destroyed = call({ kind: 'destroy', definitions: ['a'], beginMs: 10, endMs: 11 });
const gone = { definitions: undefined };

describe('contextProblems()', () => {
  it.each<[string, readonly ContextCall[]]>([
    ['a change while it is read', [created, changed, call({ beginMs: 2.5, endMs: 2.6 })]],
    ['an unknown change that is lost', [created, { ...changed, outcome: 'unknown' }, call({ beginMs: 5 })]],
    ['a change of a member that is alone', [created, { ...changed, isAlone: true }, call({ beginMs: 5 })]],
    ['an old answer that says that it is alone', [created, changed, call({ beginMs: 5, isAlone: true })]],
    ['a context that was destroyed', [created, destroyed, call({ ...gone, beginMs: 12, endMs: 13 })]],
    ['an end that shows no definitions', [created, changed, { ...destroyed, definitions: 'not shown' }]],
    ['a context that nobody was promised', [{ ...created, outcome: 'failed' }, call(gone)]],
  ])('finds nothing wrong with %s', (_, calls) => {
    expect(contextProblems(calls, END_MS)).toEqual([]);
  });

  it.each<[string, readonly ContextCall[], string]>([
    ['an acknowledged change that is missed', [created, changed, call({ beginMs: 5 })], 'misses a'],
    [
      'a definition with another PMID',
      [created, changed, call({ beginMs: 5, definitions: ['b', 'a'] })], // prettier-ignore
      'moves a',
    ],
    ['a context that is not known', [created, call({ ...gone, beginMs: 5 })], 'is not known'],
    [
      'a context that lives on',
      [created, changed, destroyed, call({ beginMs: 12, definitions: ['a'] })], // prettier-ignore
      'was destroyed before',
    ],
    [
      'a context that lives on after an end that shows no definitions',
      [created, { ...destroyed, definitions: 'not shown' }, call({ beginMs: 12 })],
      'was destroyed before',
    ],
    [
      'a context that cannot be reached in the end',
      [created, call({ outcome: 'failed', beginMs: END_MS })],
      'cannot be reached in the end',
    ],
  ])('finds %s', (_, calls, problem) => {
    expect(contextProblems(calls, END_MS)).toEqual([expect.stringContaining(problem)]);
  });
});
