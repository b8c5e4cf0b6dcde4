import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FetchResult, MetricType, type ValueSet, isWideType } from '../../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../../src/sources/index.js';
import { LinuxCollector, type LinuxCollectorOptions } from '../../../../src/sources/linux/index.js';
import { FakeClock } from '../../../support/fake-clock.js';

/** Path of a fixture tree: a folder with proc/, sys/ and etc/. */
export function fixture(name: string): string {
  return path.resolve('test/fixtures/linux', name);
}

/** A new folder that holds the given files, by path below it. */
export function makeTree(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(path.join(tmpdir(), 'pmgate-linux-'));
  writeTree(root, files);
  return root;
}

/** Write files below a folder. */
export function writeTree(root: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
}

/** What a value set holds, in a form that tests compare: values by instance, `null` when singular; or an error code. */
export type Collected =
  number | bigint | string | Readonly<Record<number, number | bigint | string>> | { error: number };

/** Read a value set; 64-bit values are bigint only where a number cannot hold them. */
export function collectedOf(set: ValueSet): Collected | undefined {
  if (set.status < 0) return { error: set.status };
  const values: Record<number, number | bigint | string> = {};
  for (let i = 0; i < set.status; i++) values[set.instances[i]!] = valueAt(set, i);
  const only = values[-1];
  if (set.status === 0) return undefined;
  return only ?? values;
}

function valueAt(set: ValueSet, i: number): number | bigint | string {
  if (set.type === MetricType.STRING) return set.column.texts[i]!;
  if (isWideType(set.type)) {
    const exact = set.column.integerAt(i);
    return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
  }
  return set.column.numbers[i]!;
}

/** A collector over a tree, with a clock that the test moves, and what it serves by name. */
export class CollectedTree {
  readonly clock = new FakeClock();
  readonly log: string[] = [];
  readonly collector: LinuxCollector;

  constructor(root: string, options: Partial<LinuxCollectorOptions> = {}) {
    this.collector = new LinuxCollector({
      clock: this.clock,
      root,
      platform: 'linux',
      log: (message) => this.log.push(message),
      ...options,
    });
  }

  async fetch(
    names: readonly string[],
    profile: InstanceProfile = new InstanceProfile(),
  ): Promise<readonly (Collected | undefined)[]> {
    const source = this.collector.open();
    const into = new FetchResult();
    await source.fetch(source.prepare(await source.lookupNames(names)), profile, into);
    return into.sets.map(collectedOf);
  }

  async value(name: string, profile?: InstanceProfile): Promise<Collected | undefined> {
    return (await this.fetch([name], profile))[0];
  }

  async instancesOf(name: string): Promise<Readonly<Record<number, string>>> {
    const { instances } = await this.collector.open().instances(await this.#indomOf(name));
    return Object.fromEntries(instances.map((instance) => [instance.id, instance.name]));
  }

  /** The labels of the instances of a metric's instance domain, by instance number. */
  async instanceLabelsOf(name: string): Promise<Readonly<Record<number, unknown>>> {
    const sets = await this.collector.open().labels({ kind: 'instances', indom: await this.#indomOf(name) });
    return Object.fromEntries(
      sets.map(({ instance, labels }) => [
        instance,
        Object.fromEntries(labels.map(({ name: label, json }) => [label, JSON.parse(json) as unknown])),
      ]),
    );
  }

  async #indomOf(name: string): Promise<number> {
    const source = this.collector.open();
    const [descriptor] = await source.describe(await source.lookupNames([name]));
    if (typeof descriptor !== 'object') throw new Error(`${name} is not served`);
    return descriptor.indom;
  }
}
