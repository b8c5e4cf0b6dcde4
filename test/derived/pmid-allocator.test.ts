import { contextPmids, globalPmids, isContextDerivedPmid } from '../../src/derived/index.js';
import { PMID_NULL, formatPmid, isDerivedPmid, makePmid } from '../../src/pmapi/index.js';

describe('globalPmids', () => {
  it('counts from 511.0.1 upwards and never uses item 0', () => {
    const pmids = globalPmids();
    const taken = Array.from({ length: 1_025 }, () => formatPmid(pmids.next()));
    expect(taken.slice(0, 2)).toEqual(['511.0.1', '511.0.2']);
    expect(taken.slice(1_022)).toEqual(['511.0.1023', '511.1.1', '511.1.2']);
  });

  it('ends before the cluster of per-context metrics', () => {
    const pmids = globalPmids();
    let last = 0;
    for (let i = 0; i < 2_047 * 1_023; i++) last = pmids.next();
    expect(formatPmid(last)).toBe('511.2046.1023');
    expect(() => pmids.next()).toThrow('global PMID space exhausted');
  });
});

describe('contextPmids', () => {
  it('counts from 511.2047.1023 downwards, with the flag bit set', () => {
    const pmids = contextPmids();
    const first = pmids.next();
    expect(first).toBe(4_292_870_143);
    expect(formatPmid(first)).toBe('511.2047.1023');
    for (let i = 0; i < 1_021; i++) pmids.next();
    expect(formatPmid(pmids.next())).toBe('511.2047.1');
    expect(formatPmid(pmids.next())).toBe('511.2046.1023');
  });

  it('is told from globals by the flag bit', () => {
    expect(isContextDerivedPmid(contextPmids().next())).toBe(true);
    expect(isDerivedPmid(contextPmids().next())).toBe(true);
    expect(isContextDerivedPmid(makePmid(511, 2_047, 1_023))).toBe(false);
    expect(isContextDerivedPmid(PMID_NULL)).toBe(false);
  });
});
