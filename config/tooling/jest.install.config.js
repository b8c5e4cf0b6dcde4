export { install as default } from './jest.config.js';
