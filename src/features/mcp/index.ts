/** The interface for assistants. See README.md. */
export { mcpRoutes } from './operations.js';
