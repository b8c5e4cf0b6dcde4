export { compileProgram, type Program } from './program.js';
export { EvaluationTrace } from './evaluation-trace.js';
export { evaluate, outdatedIndoms } from './evaluate.js';
export { History } from './history.js';
