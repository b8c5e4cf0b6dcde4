export { blobFile, GivenFiles, type Inflate } from './given-files.js';
