/** The result of `why`, as in openapi.yaml: plain data, except times and 64-bit integers, which the response writer formats. */
import type { Schemas } from '../../client/index.js';
import type { AtomValue, Timestamp } from '../../pmapi/index.js';

/** A schema before it is written. */
type Unwritten<T> = T extends object
  ? { readonly [K in keyof T]: K extends 'timestamp' ? Timestamp : K extends 'value' ? AtomValue : Unwritten<T[K]> }
  : T;

export type Why = Unwritten<Schemas['Why']>;
export type WhyMetric = Unwritten<Schemas['WhyMetric']>;
export type WhyMeaning = WhyMetric['meaning'];
export type WhyDefinition = Unwritten<Schemas['WhyDefinition']>;
export type WhyValue = Unwritten<Schemas['WhyValue']>;
export type WhyMissing = Unwritten<Schemas['WhyMissing']>;
export type WhyOrigin = Unwritten<Schemas['WhyOrigin']>;
export type WhySample = Unwritten<Schemas['WhySample']>;
export type WhyRate = Unwritten<Schemas['WhyRate']>;
export type WhyNode = Unwritten<Schemas['WhyNode']>;
export type WhyNodeValue = Unwritten<Schemas['WhyNodeValue']>;
