import type { Config, ConfigProblem } from '../config/index.js';
import type { ContextManager } from '../context/index.js';
import type { Routes } from '../http/index.js';
import type { Timers } from '../kit/index.js';
import type { Log } from '../log/index.js';
import type { Clock } from '../pmapi/index.js';
import type { MetricAgent, SampleStores } from '../sources/index.js';

/** The parts of the gateway that features work with. */
export interface Surroundings {
  /** The configuration in force: another one after a reload. */
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly contexts: ContextManager;
  readonly archives: SampleStores;
  /** The directory of what outlives the process. */
  readonly stateDirectory: string;
  /** The root of the archives that the gateway itself writes: clients know them by their paths below it. */
  readonly recordedRoot: string;
  /** The hostspec that means this machine, in a fleet too. */
  readonly ownHost: string;
}

/** What a feature contributes to a gateway; all of it is optional. */
export interface FeatureParts {
  /** What serves its operations of openapi.yaml. */
  readonly routes?: Routes;
  /** Readings of its metrics, below pmgate.*; metrics.txt in its directory describes them. */
  readonly metrics?: Readonly<Record<string, () => number>>;
  /** Metrics beside those of the embedded collector. */
  readonly agents?: readonly MetricAgent[];
  /** What it serves only in part now, as sentences for /readyz. */
  readonly problems?: () => readonly string[];
  /** Called when the gateway listens. */
  readonly start?: () => void;
  /** Called when another configuration is in force. */
  readonly reload?: () => void;
  readonly close?: () => Promise<void> | void;
}

/** A feature: one directory, which the gateway works without. */
export interface Feature {
  readonly name: string;
  /** Whether it writes archives, which clients can then open. */
  readonly keepsArchives?: (config: Config) => boolean;
  /** What is wrong with the files that its options name, for check-config. */
  readonly check?: (config: Config) => readonly ConfigProblem[];
  readonly make: (surroundings: Surroundings) => FeatureParts;
}
