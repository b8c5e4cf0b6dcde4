export { inputsOf, operandsOf } from './ast.js';
export type * from './ast.js';
export { parseQuery, QUERY_LIMITS, printQuery } from './parse.js';
