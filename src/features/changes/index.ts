/** What changed between two windows of time, or between one host and others. See README.md. */
export { findChanges } from './find-changes.js';
export type { Changes } from './find-changes.js';
export type { ChangedSeries, Distribution } from './compare-series.js';
export type { ChangeGroup } from './group-changes.js';
export type { MembershipChange } from './membership.js';
export { pool } from './measured-window.js';
export type { MeasuredMetric, MeasuredSeries, MeasuredWindow } from './measured-window.js';
export { measureWindow } from './measure-window.js';
export type { WindowTexts } from './measure-window.js';
export { locateOneWindow, locateWindows, measureOneWindow, measureTwoWindows } from './two-windows.js';
export type { ChosenWindows } from './two-windows.js';
export { describeFinding } from './sentence.js';
export type { Finding } from './sentence.js';
