export { compileProgram, type Program } from './program.js';
export { EvaluationTrace, evaluate, outdatedIndoms } from './evaluate.js';
export { History } from './history.js';
