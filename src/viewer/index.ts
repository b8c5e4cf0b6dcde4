export { GivenArchives } from './given-archives.js';
