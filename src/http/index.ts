export * from './options.js';
export * from './server.js';
export { createApp } from './app.js';
