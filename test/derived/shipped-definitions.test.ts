import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DefinitionStore, bindExpression, treeOf } from '../../src/derived/index.js';
import type { BindResult, BindingEnvironment, OperandLookup } from '../../src/derived/index.js';
import { PM_ERR } from '../../src/pmapi/index.js';
import { describeMetadata } from './support/given.js';
import { clusterFactories } from '../../src/sources/linux/clusters/index.js';
import { LocalMetrics } from '../support/local-metrics.js';
import { linuxOperands as given } from './support/linux-operands.js';

const FOLDER = path.join(import.meta.dirname, '../../config/derived');
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.conf'));

function loadAll(): DefinitionStore {
  const store = new DefinitionStore();
  for (const file of FILES) store.load(readFileSync(path.join(FOLDER, file), 'utf8'), { file, origin: 'shipped' });
  return store;
}

function bind(store: DefinitionStore, name: string): BindResult {
  return bindExpression(treeOf(store.get(name)!), given);
}

describe('the shipped definitions', () => {
  const store = loadAll();

  it('load without a problem', () => {
    expect(store.list().length).toBeGreaterThan(50);
  });

  it('bind, every one of them', () => {
    const failures = store.list().flatMap(({ name }) => {
      const result = bind(store, name);
      return result.ok ? [] : [`${name}: ${result.errors[0].where}: ${result.errors[0].reason}`];
    });
    expect(failures).toEqual([]);
  });

  it('need no operand that the table above lacks', () => {
    const unknown = store
      .list()
      .flatMap(({ operands }) => operands.metrics)
      .filter((name) => !given.metrics.has(name));
    expect(unknown).toEqual([]);
  });

  it('all have a line and a paragraph of help', () => {
    const bare = store.list().filter(({ oneline, helptext }) => oneline === undefined || helptext === undefined);
    expect(bare.map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ['kernel.cpu.util.user', 'DOUBLE instant - ""'],
    ['kernel.cpu.util.wait', 'DOUBLE instant - ""'],
    ['disk.dev.util', 'DOUBLE instant 60.1 ""'],
    ['disk.dev.await', 'DOUBLE instant 60.1 "millisec / count"'],
    ['disk.dev.avg_qlen', 'DOUBLE instant 60.1 ""'],
    ['disk.dev.avg_rqsz', 'DOUBLE instant 60.1 "Kbyte / count"'],
    ['disk.dm.w_await', 'DOUBLE instant 60.24 "millisec / count"'],
    ['disk.md.util', 'DOUBLE instant 60.25 ""'],
    ['proc.cpu.util', 'DOUBLE instant 3.9 ""'],
    ['proc.io.throughput', 'DOUBLE instant 3.9 "byte / sec"'],
    ['proc.hog.cpu', 'DOUBLE instant 3.9 "/ sec"'],
    ['proc.hog.mem', 'U32 instant 3.9 "Kbyte"'],
    ['proc.hog.disk', 'DOUBLE instant 3.9 "byte / sec^2"'],
    ['proc.psinfo.age', 'DOUBLE instant 3.9 "sec"'],
  ])('%s is %s', (name, metadata) => {
    const result = bind(store, name);
    expect(result.ok && describeMetadata(result.bound.root.meta)).toBe(metadata);
  });
});

/** Definitions that do not bind on the embedded collector: the metrics that it does not have, and why it does not. */
const NOT_LOCAL: readonly { readonly definitions: RegExp; readonly missing: RegExp; readonly why: string }[] = [
  {
    definitions: /^disk\.wwid\./,
    missing: /^operand disk\.wwid\./,
    why: 'what several paths to one disk do together is told by pmdalinux only',
  },
  { definitions: /^proc\.hog\.net$/, missing: /^operand bcc\./, why: 'only pmdabcc asks the kernel by eBPF' },
];

describe('the shipped definitions on the embedded collector', () => {
  it('bind wherever the collector has what they are about', async () => {
    const local = new LocalMetrics('/nowhere', clusterFactories);
    const operands = await operandsOf(local);
    await local.close();
    const environment: BindingEnvironment = {
      operand: (name) => operands.get(name) ?? { error: PM_ERR.NAME },
      isDerived: () => false,
    };
    const failures = loadAll()
      .list()
      .flatMap(({ name, expression }) => {
        const result = bindExpression(treeOf({ name, expression }), environment);
        return result.ok ? [] : [{ name, where: result.errors[0].where }];
      });
    const unexplained = failures.filter(
      ({ name, where }) => !NOT_LOCAL.some(({ definitions, missing }) => definitions.test(name) && missing.test(where)),
    );
    expect(unexplained).toEqual([]);
    for (const { definitions } of NOT_LOCAL) expect(failures.some(({ name }) => definitions.test(name))).toBe(true);
  });
});

async function operandsOf({ source }: LocalMetrics): Promise<Map<string, OperandLookup>> {
  const names = await source.traverse('');
  const pmids = await source.lookupNames(names);
  const descriptors = await source.describe(pmids);
  return new Map(
    names.map((name, i): [string, OperandLookup] => {
      const descriptor = descriptors[i]!;
      return [name, typeof descriptor === 'number' ? { error: descriptor } : { descriptor }];
    }),
  );
}
