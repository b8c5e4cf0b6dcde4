export { interop as default } from './jest.config.js';
