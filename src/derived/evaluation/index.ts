export { compileProgram, type Program } from './program.js';
export { EvaluationTrace } from './evaluate.js';
export { evaluate, outdatedIndoms } from './evaluate.js';
export { History } from './history.js';
