export { contradict } from './contradiction.js';
export { withoutPassed } from './set-back.js';
export { TimelineSource } from './timeline-source.js';
export type { SkippedArchive, TimelineSegment } from './timeline-source.js';
export type { ArchivePart, LivePart } from './timeline-part.js';
