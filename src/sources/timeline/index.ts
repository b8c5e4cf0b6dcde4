export { TimelineSource } from './timeline-source.js';
export type { SkippedArchive, TimelineOptions, TimelineSegment } from './timeline-source.js';
export type { ArchivePart, LivePart, PartOrigin, PartValues, TimelinePart } from './timeline-part.js';
