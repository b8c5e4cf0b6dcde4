export { MmvAgent, type MmvAgentOptions } from './mmv-agent.js';
export type { MmvProblem } from './mmv-directory.js';
export { pcpDirectory } from './pcp-directory.js';
