import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  FetchResult,
  formatIndom,
  formatPmid,
  INDOM_NULL,
  isWideType,
  systemClock,
} from '../../../../src/pmapi/index.js';
import type { Clock, Label, LabelSet, LabelTarget } from '../../../../src/pmapi/index.js';
import { InstanceProfile, type MetricSource, type PreparedFetch, joinAgents } from '../../../../src/sources/index.js';
import { MmvAgent, type MmvAgentOptions } from '../../../../src/features/mmv/mmv-agent.js';
import type { MmvProblem } from '../../../../src/features/mmv/mmv-directory.js';
import { descriptor } from '../../../support/memory-gateway.js';
import { MemorySource } from '../../../support/memory-source.js';
import { type BuiltMmv, buildMmv } from '../../../support/mmv-builder.js';

/** Values by instance number (-1 for a singular metric), or the PM_ERR code. 64-bit integers are bigints. */
export type MmvValues = Readonly<Record<number, number | bigint | string>> | number;

/** A metric of the main source beside the agent. */
export const MAIN_METRIC = 'main.metric';
const MAIN_PMID = 60 << 22;

/** A directory of MMV files of a test's own, and a source with the agent that serves them. */
export class MmvFixture {
  readonly directory: string;
  readonly agent: MmvAgent;
  readonly source: MetricSource;
  readonly logged: MmvProblem[] = [];
  readonly #isOwn: boolean;

  constructor(options: Partial<MmvAgentOptions> & { readonly clock?: Clock } = {}) {
    this.#isOwn = options.directory === undefined;
    this.directory = options.directory ?? mkdtempSync(path.join(os.tmpdir(), 'pmgate-mmv-'));
    const clock = options.clock ?? systemClock;
    this.agent = new MmvAgent({
      usedMs: () => 0,
      directory: this.directory,
      log: (problem) => this.logged.push(problem),
      ...options,
      clock,
    });
    const main = new MemorySource(
      { metrics: [{ name: MAIN_METRIC, descriptor: descriptor(MAIN_PMID), oneline: 'main', values: 1 }] },
      clock,
    );
    this.source = joinAgents({ open: () => main }, [this.agent], clock).open();
  }

  /** Write a file as a library does: another file of the same name is gone. */
  put(name: string, file: BuiltMmv | Buffer): void {
    const target = path.join(this.directory, name);
    rmSync(target, { force: true, recursive: true });
    writeFileSync(target, Buffer.isBuffer(file) ? file : buildMmv(file));
  }

  remove(name: string): void {
    rmSync(path.join(this.directory, name), { recursive: true });
  }

  makeDirectory(name: string): void {
    mkdirSync(path.join(this.directory, name));
  }

  async names(): Promise<readonly string[]> {
    await nextTurn();
    const names = await this.source.traverse('');
    return names.filter((name) => name.startsWith('mmv.') && !name.startsWith('mmv.control.')).sort();
  }

  async fetch(names: readonly string[], profile = new InstanceProfile()): Promise<Readonly<Record<string, MmvValues>>> {
    await nextTurn();
    const prepared = await this.prepare(names);
    return this.fetchPrepared(names, prepared, profile);
  }

  async prepare(names: readonly string[]): Promise<PreparedFetch> {
    return this.source.prepare(await this.source.lookupNames(names));
  }

  async fetchPrepared(
    names: readonly string[],
    prepared: PreparedFetch,
    profile = new InstanceProfile(),
  ): Promise<Readonly<Record<string, MmvValues>>> {
    const result = new FetchResult();
    await this.source.fetch(prepared, profile, result);
    return Object.fromEntries(
      result.sets.map((set, i): [string, MmvValues] => {
        if (set.status < 0) return [names[i]!, set.status];
        const values: Record<number, number | bigint | string> = {};
        for (let v = 0; v < set.status; v++) {
          values[set.instances[v]!] =
            set.column.texts[v] ?? (isWideType(set.type) ? set.column.integerAt(v) : set.column.numbers[v]!);
        }
        return [names[i]!, values];
      }),
    );
  }

  async value(name: string): Promise<MmvValues> {
    return (await this.fetch([name]))[name]!;
  }

  async metric(name: string) {
    const [pmid = -1] = await this.source.lookupNames([name]);
    const [desc] = await this.source.describe([pmid]);
    if (typeof desc !== 'object') throw new Error(`${name} has no descriptor: ${desc}`);
    const target = { kind: 'metric', pmid } as const;
    return {
      pmid: formatPmid(pmid),
      type: desc.type,
      semantics: desc.semantics,
      indom: desc.indom === INDOM_NULL ? null : formatIndom(desc.indom),
      units: desc.units,
      oneline: await this.source.helpText(target, 'oneline'),
      help: await this.source.helpText(target, 'help'),
      cluster: await this.labels({ kind: 'cluster', pmid }),
      item: await this.labels({ kind: 'item', pmid }),
    };
  }

  async labels(target: LabelTarget): Promise<Readonly<Record<string, string>>> {
    return textOf((await this.source.labels(target))[0]?.labels ?? []);
  }

  async instanceLabels(indom: number): Promise<Readonly<Record<number, Readonly<Record<string, string>>>>> {
    const sets: readonly LabelSet[] = await this.source.labels({ kind: 'instances', indom });
    return Object.fromEntries(sets.map(({ instance, labels }) => [instance, textOf(labels)]));
  }

  async instances(indom: number): Promise<readonly (readonly [id: number, name: string])[]> {
    await nextTurn();
    return (await this.source.instances(indom)).instances.map(({ id, name }) => [id, name]);
  }

  async close(): Promise<void> {
    await this.source.close();
    this.agent.close();
    if (this.#isOwn) rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Labels by name, as JSON; optional ones with a question mark. */
function textOf(labels: readonly Label[]): Readonly<Record<string, string>> {
  return Object.fromEntries(labels.map(({ name, json, optional }) => [optional ? `${name}?` : name, json]));
}

/** Requests come in turns of the event loop: what one of them looked at, the next looks at again. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
