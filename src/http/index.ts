export * from './options.js';
export * from './server.js';
export { createApp } from './app.js';
export { PROBES } from './routes.js';
export { isLoopback } from './loopback.js';
