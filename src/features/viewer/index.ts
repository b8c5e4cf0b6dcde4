export { GivenArchives } from './given-archives.js';
export { blobFile } from './given-files.js';
