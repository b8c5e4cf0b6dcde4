import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  isWideType,
  makeUnits,
  MetricType,
  ValueSet,
  type InstanceDomain,
  type MetricDescriptor,
  type Semantics,
} from '../../../src/pmapi/index.js';
import { LibpcpProcess } from './libpcp-process.js';

/** Where Debian's pcp-testsuite keeps its archives. */
export const TESTSUITE_ARCHIVES = '/var/lib/pcp/testsuite/archives';

/** `describe` when libpcp can be called from Python and the archives are there, else `describe.skip` with a line on stderr. */
export const describeWithLibpcp: jest.Describe = hasLibpcp() ? describe : skipLoudly();

function hasLibpcp(): boolean {
  return existsSync(TESTSUITE_ARCHIVES) && spawnSync('/usr/bin/python3', ['-c', 'import pcp.pmapi']).status === 0;
}

function skipLoudly(): jest.Describe {
  process.stderr.write('SKIPPED: values of derived metrics beside libpcp need python3-pcp and pcp-testsuite\n');
  return describe.skip;
}

/** An error code of libpcp. */
export interface ProbedError {
  readonly error: number;
  readonly message?: string;
}

/** Values of one metric: instance id and text, null for what is not compared. */
export interface ProbedSet {
  readonly values: readonly (readonly [instance: number, text: string | null])[];
}

/** One fetch: the time stamp in seconds and microseconds, and the values by metric name. */
export interface ProbedSample {
  readonly seconds: readonly [sec: number, usec: number];
  readonly values: Readonly<Record<string, ProbedSet | ProbedError>>;
}

interface ProbedDescriptor {
  readonly pmid: number;
  readonly type: MetricType;
  readonly indom: number;
  readonly semantics: Semantics;
  readonly units: readonly [number, number, number, number, number, number];
}

/** A context of real libpcp on an archive, in a Python process, that can be given derived metrics. */
export class DerivedProbe extends LibpcpProcess {
  constructor() {
    super('derived-probe.py');
  }

  async open(archive: string): Promise<void> {
    const answer = await this.ask<Partial<ProbedError>>('open', { archive });
    if (answer.error !== undefined) throw new Error(`libpcp cannot open ${archive}: ${answer.error}`);
  }

  /** pmAddDerivedMetric: undefined when accepted. */
  async add(name: string, expression: string): Promise<ProbedError | undefined> {
    const answer = await this.ask<Partial<ProbedError>>('add', { name, expression });
    return answer.error === undefined ? undefined : (answer as ProbedError);
  }

  /** Descriptors by name, or the error of looking a name up. */
  async describe(names: readonly string[]): Promise<Map<string, MetricDescriptor | ProbedError>> {
    const answer = await this.ask<Record<string, ProbedDescriptor | ProbedError>>('describe', { names });
    return new Map(Object.entries(answer).map(([name, found]) => [name, 'error' in found ? found : descriptor(found)]));
  }

  async instances(indom: number): Promise<InstanceDomain> {
    const { ever } = await this.ask<{ ever: [number, string][] }>('instances', { indom });
    return { indom, instances: ever.map(([id, name]) => ({ id, name })) };
  }

  interpolate(from: readonly [number, number], intervalMs: number): Promise<unknown> {
    return this.ask('mode', { mode: 'interp', seconds: from, intervalMs });
  }

  /** One pmFetch; an error of the whole is thrown. */
  async fetch(names: readonly string[]): Promise<ProbedSample> {
    const answer = await this.ask<ProbedSample | ProbedError>('fetch', { names });
    if ('error' in answer) throw new Error(`pmFetch: ${answer.error}`);
    return answer;
  }
}

function descriptor({ pmid, type, indom, semantics, units }: ProbedDescriptor): MetricDescriptor {
  const [dimSpace, dimTime, dimCount, scaleSpace, scaleTime, scaleCount] = units;
  return {
    pmid,
    type,
    indom: indom >>> 0,
    semantics,
    units: makeUnits({ dimSpace, dimTime, dimCount, scaleSpace, scaleTime, scaleCount }),
  };
}

/** A probed set as one of ours. */
export function toValueSet(type: MetricType, probed: ProbedSet | ProbedError): ValueSet {
  const set = new ValueSet();
  set.reset(0, type);
  if ('error' in probed) set.fail(probed.error);
  else for (const [instance, text] of probed.values) addText(set, instance, text);
  return set;
}

function addText(set: ValueSet, instance: number, text: string | null): void {
  if (text === null) set.addBytes(instance, new Uint8Array(0));
  else if (set.type === MetricType.STRING) set.addText(instance, text);
  else if (isWideType(set.type)) set.addInteger(instance, BigInt(text));
  else set.addNumber(instance, pythonNumber(text));
}

/** A number as Python's repr() writes it. */
export function pythonNumber(text: string): number {
  return Number(text.replace('inf', 'Infinity').replace('nan', 'NaN'));
}
