import { contextPmids, globalPmids } from '../../src/derived/index.js';
import { formatPmid, makePmid } from '../../src/pmapi/index.js';

describe('globalPmids', () => {
  it('counts from 511.0.1 upwards and never uses item 0', () => {
    const pmids = globalPmids(() => false);
    const taken = Array.from({ length: 1_025 }, () => formatPmid(pmids.next()));
    expect(taken.slice(0, 2)).toEqual(['511.0.1', '511.0.2']);
    expect(taken.slice(1_022)).toEqual(['511.0.1023', '511.1.1', '511.1.2']);
  });

  it('ends before the cluster of per-context metrics', () => {
    const pmids = globalPmids((pmid) => taken.has(pmid));
    const taken = new Set<number>();
    pmids.continueAfter(makePmid(511, 2_046, 1_022));
    expect(formatPmid(pmids.next())).toBe('511.2046.1023');
  });

  it('begins again after the last one, with those that are not taken, and ends when there are none', () => {
    const taken = new Set([makePmid(511, 0, 1)]);
    const pmids = globalPmids((pmid) => taken.has(pmid));
    pmids.continueAfter(makePmid(511, 2_046, 1_023));
    expect(formatPmid(pmids.next())).toBe('511.0.2');
    const full = globalPmids(() => true);
    expect(() => full.next()).toThrow('global PMID space exhausted');
  });

  it('leaves out what is taken, and never goes back', () => {
    const pmids = globalPmids((pmid) => pmid === makePmid(511, 0, 2));
    expect([pmids.next(), pmids.next()].map(formatPmid)).toEqual(['511.0.1', '511.0.3']);
    pmids.continueAfter(makePmid(511, 1, 7));
    pmids.continueAfter(makePmid(511, 0, 1));
    expect(formatPmid(pmids.next())).toBe('511.1.8');
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
});
