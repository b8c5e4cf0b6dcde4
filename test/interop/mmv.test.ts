import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FetchResult, flattenLabels, INDOM_NULL, isWideType } from '../../src/pmapi/index.js';
import type { LabelTarget, MetricDescriptor, ValueSet } from '../../src/pmapi/index.js';
import { InstanceProfile } from '../../src/sources/index.js';
import { buildMmv } from '../support/mmv-builder.js';
import { MmvFixture, nextTurn } from '../features/mmv/support/mmv-fixture.js';
import { SCENES, type Scene } from '../features/mmv/support/scenes.js';
import { type RunningPmcd, describeWithPcp, startPmcd } from './support/pmcd.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const AGENT = '/var/lib/pcp/pmdas/mmv/pmda_mmv.so';

interface Told {
  readonly pmid: number;
  readonly type: number;
  readonly indom: number;
  readonly semantics: number;
  readonly units: readonly number[];
  readonly oneline: string | null;
  readonly help: string | null;
  readonly cluster: object;
  readonly item: object;
  readonly values: readonly (readonly [number, string])[] | number;
}

interface ToldIndom {
  readonly instances: readonly (readonly [number, string])[] | null;
  readonly labels: object;
  readonly instanceLabels: object;
}

interface Answer {
  readonly metrics: Readonly<Record<string, Told>>;
  readonly indoms: Readonly<Record<string, ToldIndom>>;
}

/** Where the two differ on purpose, beside what scenes say of themselves; the reasons are in src/features/mmv/FORMAT.md. */
const ONLY_PCP = ['mmv.control.debug'];
/** mmv.control.metrics came with PCP 7. */
const ONLY_HERE = ['mmv.control.refused', 'mmv.control.problem', 'mmv.control.metrics'];
/** The instance domain of mmv.control.problem. */
const PROBLEM_INDOM = 70 << 22;
/** In PCP it speaks of storing, which is not possible here. */
const OTHER_HELP = 'mmv.control.reload';

/** What this reader says, in the form of the probe. */
async function ourAnswer({ source }: MmvFixture): Promise<Answer> {
  await nextTurn();
  const names = await source.traverse('mmv');
  const pmids = await source.lookupNames(names);
  const descriptors = (await source.describe(pmids)) as MetricDescriptor[];
  const metrics: Record<string, Told> = {};
  const indoms: Record<string, ToldIndom> = {};
  for (const [i, { pmid, type, indom, semantics, units }] of descriptors.entries()) {
    const target = { kind: 'metric', pmid } as const;
    const oneline = (await source.helpText(target, 'oneline')) ?? null;
    // libpcp shows the one-line text where there is no other.
    const help = (await source.helpText(target, 'help')) ?? '';
    const result = new FetchResult();
    await source.fetch(source.prepare([pmid]), new InstanceProfile(), result);
    metrics[names[i]!] = {
      ...{ pmid, type, indom, semantics, oneline, help: help === '' ? oneline : help },
      units: [units.dimSpace, units.dimTime, units.dimCount, units.scaleSpace, units.scaleTime, units.scaleCount],
      cluster: await labelsOf(source, { kind: 'cluster', pmid }),
      item: await labelsOf(source, { kind: 'item', pmid }),
      values: valuesOf(result.sets[0]!),
    };
    if (indom === INDOM_NULL || indoms[indom]) continue;
    const instances = await source.instances(indom).then(
      (found) => found.instances.map(({ id, name }) => [id, name] as const),
      () => null,
    );
    const sets = await source.labels({ kind: 'instances', indom });
    indoms[indom] = {
      instances,
      labels: await labelsOf(source, { kind: 'indom', indom }),
      instanceLabels: Object.fromEntries(sets.map(({ instance, labels }) => [instance, objectOf(labels)])),
    };
  }
  return { metrics, indoms };
}

async function labelsOf(source: MmvFixture['source'], target: LabelTarget): Promise<object> {
  return objectOf((await source.labels(target))[0]?.labels ?? []);
}

function objectOf(labels: Parameters<typeof flattenLabels>[0]): object {
  return Object.fromEntries(flattenLabels(labels).map(({ name, json }) => [name, JSON.parse(json) as unknown]));
}

function valuesOf(set: ValueSet): Told['values'] {
  if (set.status < 0) return set.status;
  return Array.from({ length: set.status }, (_, i) => {
    const wide = isWideType(set.type) ? set.column.integerAt(i) : set.column.numbers[i]!;
    return [set.instances[i]!, set.column.texts[i] ?? textOf(wide, set.type)];
  });
}

/** As Python's repr() writes it. */
function textOf(value: number | bigint, type: number): string {
  if (type < 4) return String(value);
  return JSON.stringify(pythonFloat(Number(value))).slice(1, -1);
}

function pythonFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (Object.is(value, -0)) return '-0.0';
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** Leave out of both answers where they differ on purpose. */
function comparable({ metrics, indoms }: Answer, { pcp = [] }: Scene): Answer {
  const apart = new Set([...ONLY_PCP, ...ONLY_HERE, ...(pcp as readonly string[])]);
  const kept = Object.entries(metrics).filter(([name]) => !apart.has(name));
  return {
    metrics: Object.fromEntries(
      kept
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, told]) => {
          const cluster = apart.has('cluster labels') ? {} : told.cluster;
          // PCP 6.0.3 tells the help of metrics only that have a value.
          const hasValue = typeof told.values !== 'number';
          const help = name === OTHER_HELP ? null : told.help;
          return [name, { ...told, help, cluster, ...(hasValue ? {} : { oneline: null, help: null }) }];
        }),
    ),
    indoms: Object.fromEntries(
      Object.entries(indoms)
        .filter(([indom]) => Number(indom) !== PROBLEM_INDOM)
        .map(([indom, told]) => [indom, comparableIndom(told)]),
    ),
  };
}

/** PCP's Python module forgets other characters than ASCII, and lists no instances without labels. */
function comparableIndom({ instances, labels, instanceLabels }: ToldIndom): ToldIndom {
  return {
    instances: instances?.map(([id, name]) => [id, name.replaceAll(/[^ -~]/g, '')] as const) ?? null,
    labels,
    instanceLabels: Object.fromEntries(
      Object.entries(instanceLabels).filter(([, own]) => Object.keys(own as object).length > 0),
    ),
  };
}

describeWithPcp("MMV files beside PCP's agent", () => {
  const directory = temporaryDirectory().path;
  let pmcd: RunningPmcd;
  let mmv: MmvFixture;
  beforeAll(async () => {
    mkdirSync(path.join(directory, 'mmv'));
    const conf = path.join(directory, 'pmcd.conf');
    writeFileSync(
      conf,
      `pmcd\t2\tdso\tpmcd_init\t/var/lib/pcp/pmdas/pmcd/pmda_pmcd.so\nmmv\t70\tdso\tmmv_init\t${AGENT}\n`,
    );
    const pmns = path.join(directory, 'pmns');
    writeFileSync(pmns, 'root {\n\tmmv\t70:*:*\n}\n');
    pmcd = await startPmcd({ args: ['-c', conf, '-n', pmns], env: { PCP_TMP_DIR: directory } });
    mmv = new MmvFixture({ directory: path.join(directory, 'mmv') });
  });
  afterAll(async () => {
    await mmv.close();
    await pmcd.stop();
  });

  const pcpAnswer = (): Answer => {
    const probe = ['test/interop/support/mmv-probe.py', `127.0.0.1:${pmcd.port}`];
    return JSON.parse(execFileSync('/usr/bin/python3', probe, { encoding: 'utf8' })) as Answer;
  };

  const scenes = Object.entries(SCENES).filter(([, { pcp }]) => pcp !== 'dies');

  it.each(scenes)('are answered alike: %s', async (_name, scene) => {
    rmSync(path.join(directory, 'mmv'), { recursive: true });
    mkdirSync(path.join(directory, 'mmv'));
    for (const [name, file] of Object.entries(scene.files))
      mmv.put(name, Buffer.isBuffer(file) ? file : buildMmv(file));
    expect(comparable(await ourAnswer(mmv), scene)).toEqual(comparable(pcpAnswer(), scene));
  });

  it('are changed while both serve them', async () => {
    const file = (value: number, name = 'count', more = {}): Buffer =>
      buildMmv({ metrics: [{ name, value }], ...more });
    const place = path.join(directory, 'mmv', 'app');
    const none: Scene = { why: '', files: {}, values: {} };
    const steps: readonly (() => void)[] = [
      () => rmSync(path.join(directory, 'mmv'), { recursive: true }),
      () => mkdirSync(path.join(directory, 'mmv')),
      () => writeFileSync(place, file(1)),
      () => writeFileSync(place, file(2), { flag: 'r+' }),
      () => writeFileSync(place, file(3, 'other', { generation: 2n }), { flag: 'r+' }),
      () => mmv.put('app', file(4)),
      () => mmv.put('web', file(5)),
      () => rmSync(place),
    ];
    for (const [i, step] of steps.entries()) {
      step();
      // PCP's agent goes on serving what it had.
      if (i === 0) continue;
      expect({ i, ...comparable(await ourAnswer(mmv), none) }).toEqual({ i, ...comparable(pcpAnswer(), none) });
    }
  });
});
