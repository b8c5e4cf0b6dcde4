export { GivenArchives } from './given-archives.js';
export { openGiven, type GivenFile } from './open-given.js';
