export { contradict } from './part-reading.js';
export { withoutPassed } from './timeline-source.js';
export { TimelineSource, type SkippedArchive, type TimelineSegment } from './timeline-source.js';
export type { ArchivePart, LivePart } from './timeline-part.js';
