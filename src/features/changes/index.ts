/** What changed between two windows of time, or between one host and others. See README.md. */
export { findChanges, type Changes } from './find-changes.js';
export type { ChangedSeries, Distribution } from './compare-series.js';
export type { ChangeGroup } from './group-changes.js';
export type { MembershipChange } from './membership.js';
export { pool, type MeasuredMetric, type MeasuredSeries, type MeasuredWindow } from './measured-window.js';
export { measureWindow, type WindowTexts } from './measure-window.js';
export { locateOneWindow, locateWindows, measureOneWindow, measureTwoWindows } from './two-windows.js';
export type { ChosenWindows } from './two-windows.js';
export { describeFinding, type Finding } from './sentence.js';
