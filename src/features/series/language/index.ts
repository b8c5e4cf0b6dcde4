export { inputsOf, operandsOf } from './ast.js';
export type * from './ast.js';
export { parseQuery, QUERY_LIMITS } from './parse.js';
export { printQuery } from './parse.js';
