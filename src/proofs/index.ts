export { NoPcpError } from './pcp-tools.js';
export { compareWithPcp } from './conformance.js';
export { benchAgainstPmproxy } from './bench.js';
