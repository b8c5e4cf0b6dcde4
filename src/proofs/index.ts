export { NoPcpError } from './pcp-tools.js';
export { compareWithPcp } from './conformance.js';
export type { AreaCounts, ConformanceReport } from './conformance.js';
export { benchAgainstPmproxy } from './bench.js';
export type { BenchReport, BenchRow } from './bench.js';
