import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  decodeUnits,
  formatIndom,
  formatMetricType,
  formatPmid,
  formatSemantics,
  formatUnits,
  INDOM_NULL,
  MetricType,
} from '../../src/pmapi/index.js';
import { type AreaName, type Subject, area } from './support/conformance.js';
import { PmcdProbe, type ProbedFetch } from './support/pmcd-probe.js';
import { type RunningPmcd, describeWithPcp, startPmcd } from './support/pmcd.js';
import { type RunningPmproxy, get, startPmproxy } from './support/pmproxy.js';
import { type SampleSetup, makeSampleSetup } from './support/sample-agent.js';
import { canonical } from './support/score.js';
import { PATIENT_HOSTS } from '../support/patience.js';
import { type RunningGateway, startGateway } from '../support/whole-gateway.js';

/** Trees whose metrics move too fast, or are too many. */
const LEFT_OUT = /^(?:proc|hotproc|cgroup|event)\./;
/** Gauges that the asking itself moves. */
const DISTURBED =
  /^(?:kernel\.all\.(?:running|runnable|nprocs)|network\.(?:sockstat|tcpconn)|vfs\.files|mem\.(?:numa\.)?util|pmcd\.)/;
/** Of what is not an agent's for tests, one metric of so many. */
const STEP = 3;
const ATTEMPTS = 4;

type Labels = Readonly<Record<string, unknown>>;

interface Descriptor {
  readonly pmid: string;
  readonly indom?: string;
  readonly type: string;
  readonly sem: string;
  readonly units: string;
}

interface Instance {
  readonly instance: number | null;
  readonly name: string;
  readonly value: unknown;
}

interface Answer {
  readonly context: number;
  readonly message?: string;
  readonly metrics?: readonly (Descriptor & {
    readonly name: string;
    readonly labels: Labels;
    readonly 'text-oneline': string;
    readonly 'text-help': string;
  })[];
  readonly instances?: readonly Instance[];
  readonly leaf?: readonly string[];
  readonly nonleaf?: readonly string[];
  readonly values?: readonly { readonly name: string; readonly instances: readonly Instance[] }[];
}

/** Of metrics that stand still, of each type. */
const EXPRESSIONS = [
  '2 * mem.physmem',
  'mem.physmem / hinv.ncpu / count(sample.long.bin)',
  'sample.long.bin + sample.ulong.hundred',
  'sample.longlong.bin * sample.double.ten',
  'sample.ulonglong.million - sample.float.bin',
  'sample.double.bin / 7',
  'sum(sample.long.bin)',
  'avg(sample.float.bin)',
  'min(sample.ulong.bin) - max(sample.double.bin)',
  'sample.long.bin[bin-300] - 7',
  'matchinst(/[13]00$/, sample.long.bin)',
  'sample.long.bin > 400',
  'sample.long.one == 1 ? sample.long.bin : sample.long.ten',
  'mkconst(3.5, type="double") + sample.long.one',
  '!sample.long.one || sample.long.ten > 3',
  'instant(sample.long.hundred)',
];

/** What pmproxy 6.0.3 gets wrong, told once for all cases of a kind. */
const PMPROXY_FAULTS: readonly { readonly area: AreaName; readonly detail: RegExp; readonly fault: string }[] = [
  {
    area: 'values',
    detail: /: libpcp \[\], pmproxy \[\[-1,/,
    fault: 'makes a zero, or null, of a metric that has no value',
  },
  { area: 'values', detail: /pmproxy \[\]$/, fault: 'breaks off answers with many values' },
  { area: 'instances', detail: /pmproxy \[\]$/, fault: 'breaks off answers with many instances' },
  { area: 'labels', detail: /"indom_name"/, fault: 'leaves out the labels of a domain that has no instances' },
  { area: 'labels', detail: /"changed"/, fault: 'leaves out labels of an item' },
];

/** What libpcp knows, asked once for both gateways. */
interface Known {
  readonly names: readonly string[];
  readonly pmids: ReadonlyMap<string, number>;
  readonly descs: readonly (number | readonly number[])[];
  readonly texts: readonly (readonly unknown[])[];
  readonly labels: readonly Labels[];
}

describeWithPcp('REST beside libpcp', () => {
  let sample: SampleSetup;
  let pmcd: RunningPmcd;
  let pmproxy: RunningPmproxy;
  let gateway: RunningGateway;
  let probe: PmcdProbe;
  let known: Known;
  const ports: Record<Subject, number> = { pmgate: 0, pmproxy: 0 };

  beforeAll(async () => {
    // Definitions that PCP and pmgate ship are no part of the comparison.
    process.env.PCP_DERIVED_CONFIG = '';
    sample = makeSampleSetup();
    pmcd = await startPmcd(sample.setup);
    pmproxy = await startPmproxy(pmcd.port);
    gateway = await startGateway({
      PMGATE_DERIVED_SHIPPED: 'false',
      PMGATE_HOSTS_ALLOW: `127.0.0.1:${pmcd.port}`,
      ...PATIENT_HOSTS,
    });
    ports.pmgate = gateway.port;
    ports.pmproxy = pmproxy.port;
    probe = new PmcdProbe(`127.0.0.1:${pmcd.port}`);
    known = await askLibpcp(probe);
  });
  afterAll(async () => {
    probe.close();
    await gateway.close();
    await pmproxy.stop();
    await pmcd.stop();
    sample.remove();
  });

  describe.each<Subject>(['pmgate', 'pmproxy'])('of %s', (subject) => {
    let context: number;
    const failures: string[] = [];

    beforeAll(async () => {
      context = (await ask(`/pmapi/context?hostspec=127.0.0.1:${pmcd.port}&polltimeout=600`)).context;
    });
    afterAll(() => {
      failures.length = 0;
    });

    /** One thing at a time: four at once crash pmproxy. */
    async function ask(target: string): Promise<Answer> {
      const broken = { body: '{}' };
      const { body } = await (subject === 'pmproxy'
        ? get(ports[subject], target).catch(() => broken)
        : get(ports[subject], target));
      // Beyond 2^53 a JSON number keeps its digits as a text only.
      return JSON.parse(body.replace(/"value":\s*(-?\d{16,})(?=[,}])/g, '"value":"$1"')) as Answer;
    }

    function judge(name: AreaName, what: string, theirs: unknown, ours: unknown): void {
      const [expected, received] = [canonical(theirs ?? null), canonical(ours ?? null)];
      const row = area(name, subject);
      if (expected === received) {
        row.equal();
        return;
      }
      const detail = `${what}: libpcp ${expected.slice(0, 200)}, ${subject} ${received.slice(0, 200)}`;
      const fault = PMPROXY_FAULTS.find((each) => each.area === name && each.detail.test(detail))?.fault;
      row.wrong(subject === 'pmproxy' ? (fault ?? detail) : detail);
      failures.push(detail);
    }

    /** pmgate has to agree; what pmproxy does is only counted. */
    function settle(): void {
      const found = failures.splice(0);
      if (subject === 'pmgate') expect(found.slice(0, 10)).toEqual([]);
    }

    it('has the same children', async () => {
      const nodes = new Set(
        known.names.flatMap((name) => name.split('.').map((_, i, all) => all.slice(0, i).join('.'))),
      );
      nodes.delete('');
      const asked = [...nodes];
      const theirs = await probe.ask<(readonly (readonly [string, number])[])[]>('children', { names: asked });
      for (const [i, prefix] of asked.entries()) {
        const { leaf = [], nonleaf = [] } = await ask(`/pmapi/children?context=${context}&prefix=${prefix}`);
        const pairs = [...leaf.map((last) => [last, 0]), ...nonleaf.map((last) => [last, 1])];
        judge('names (PMNS)', prefix, theirs[i]!.map(String).sort(), pairs.map(String).sort());
      }
      settle();
    });

    it('has the same metadata', async () => {
      for (const [i, name] of known.names.entries()) {
        const { metrics = [] } = await ask(`/pmapi/metric?context=${context}&names=${name}`);
        const found = metrics.find((metric) => metric.name === name);
        const seen = found && {
          pmid: found.pmid,
          type: found.type,
          sem: found.sem,
          units: found.units,
          ...(found.indom !== undefined && { indom: found.indom }),
        };
        if (typeof known.descs[i] === 'number') {
          judge('descriptors', name, undefined, found?.pmid);
          continue;
        }
        judge('descriptors', name, described(known.descs[i]!), seen);
        judge('labels', name, known.labels[i], found?.labels);
        const texts = known.texts[i]!.map((text) => (typeof text === 'string' ? text : ''));
        judge('help texts', name, texts, [found?.['text-oneline'], found?.['text-help']]);
      }
      settle();
    });

    it('has the same instances', async () => {
      const users = new Map<number, string>();
      for (const [i, name] of known.names.entries()) {
        const desc = known.descs[i]!;
        if (typeof desc !== 'number' && desc[2] !== INDOM_NULL && !users.has(desc[2]!)) users.set(desc[2]!, name);
      }
      const inOrder = (list: readonly (readonly unknown[])[]): string[] => list.map(String).sort();
      const look = async (indom: number): Promise<readonly string[]> => {
        const indoms = [indom];
        const [found] = await probe.ask<(number | readonly (readonly [number, string])[])[]>('indoms', { indoms });
        return typeof found === 'number' ? [] : inOrder(found!);
      };
      for (const [indom, name] of users) {
        const pair = { theirs: [] as readonly string[], ours: [] as readonly string[] };
        // Mounts, interfaces and segments come and go: what moved meanwhile is looked at again, and left out when it goes on.
        let isStill = false;
        for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
          pair.theirs = await look(indom);
          const { instances = [] } = await ask(`/pmapi/indom?context=${context}&name=${name}`);
          pair.ours = inOrder(instances.map(({ instance, name: called }) => [instance, called]));
          isStill = canonical(pair.theirs) === canonical(await look(indom));
          if (isStill && canonical(pair.theirs) === canonical(pair.ours)) break;
        }
        if (isStill) judge('instances', `${formatIndom(indom)} of ${name}`, pair.theirs, pair.ours);
      }
      settle();
    });

    it('has the same values of what stands still', async () => {
      for (const [i, name] of known.names.entries()) {
        const desc = known.descs[i]!;
        if (typeof desc === 'number' || desc[1]! > MetricType.STRING || DISTURBED.test(name)) continue;
        const request = { pmids: [known.pmids.get(name)!], types: [desc[1]!], highres: true };
        const look = async (): Promise<ProbedFetch['sets'][number]> =>
          (await probe.ask<ProbedFetch>('fetch', request)).sets[0]!;
        const pair = { theirs: [] as unknown[], ours: [] as unknown[] };
        // What moves, or moves there and back, is looked at again, and left out when it goes on.
        let isStill = false;
        for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
          const before = await look();
          const { values = [] } = await ask(`/pmapi/fetch?context=${context}&names=${name}`);
          isStill = canonical(before) === canonical(await look());
          const instances = values.find((each) => each.name === name)?.instances ?? [];
          pair.theirs = typeof before === 'number' ? [] : before.map(([id, value]) => [id, readable(value, desc[1]!)]);
          pair.ours = instances.map(({ instance, value }) => [instance ?? -1, rounded(value, desc[1]!)]);
          if (isStill && canonical(pair.theirs) === canonical(pair.ours)) break;
        }
        if (isStill) judge('values', name, pair.theirs, pair.ours);
      }
      settle();
    });

    it('computes the same derived metrics', async () => {
      const theirs = pminfoDerived(pmcd.port);
      expect([...theirs.values()].filter((shown) => shown.length > 0)).toHaveLength(EXPRESSIONS.length);
      for (const [i, expression] of EXPRESSIONS.entries()) {
        const name = `rest.e${i}`;
        const query = `context=${context}&name=${name}`;
        await ask(`/pmapi/derive?${query}&expr=${encodeURIComponent(expression)}`);
        const { values = [] } = await ask(`/pmapi/fetch?context=${context}&names=${name}`);
        const ours = values[0]?.instances.map(({ value }) => Number(value).toPrecision(6)) ?? [];
        judge('derived: values', expression, theirs.get(name) ?? [], ours);
      }
      settle();
    });

    it.each<[string, readonly string[], readonly number[]]>([
      ['everything', [], [1, 5, 15]],
      ['nothing', ['del'], []],
      ['one', ['del', 'add&indom=60.2&instance=5'], [5]],
      ['two', ['del', 'add&indom=60.2&instance=1,15'], [1, 15]],
      // Taking one away from what was never narrowed leaves nothing: pmDelProfile(3) does that.
      ['nothing, by one', ['del&indom=60.2&instance=5'], []],
      ['all again', ['del', 'add'], [1, 5, 15]],
    ])('narrows to %s', async (what, steps, expected) => {
      const own = (await ask(`/pmapi/context?hostspec=127.0.0.1:${pmcd.port}&polltimeout=600`)).context;
      for (const step of steps) await ask(`/pmapi/profile?context=${own}&expr=${step}`);
      const { values = [] } = await ask(`/pmapi/fetch?context=${own}&names=kernel.all.load`);
      judge('profiles', what, expected, values[0]?.instances.map(({ instance }) => instance) ?? []);
      settle();
    });

    it.each([
      ['metric?names=no.such.metric', 'Unknown metric name'],
      ['children?prefix=no.such', 'Unknown metric name'],
      ['indom?name=no.such', 'failed to lookup metric'],
      ['indom?indom=511.5', 'failed to lookup indom 511.5'],
      ['derive?name=rest.a&expr=hinv.ncpu%2B', 'Syntax Error: pmAddDerivedMetric("rest.a", ...)'],
    ])('says why %s cannot be', async (request, reason) => {
      const { message = '' } = await ask(`/pmapi/${request}&context=${context}`);
      judge('PMWEBAPI: errors', request, reason, message.includes(reason) ? reason : message);
      settle();
    });
  });
});

async function askLibpcp(probe: PmcdProbe): Promise<Known> {
  const found = await probe.ask<{ names: string[]; pmids: number[] }>('names');
  const all = found.names.map((name, i) => [name, found.pmids[i]!] as const).filter(([name]) => !LEFT_OUT.test(name));
  const asked = all.filter(([name], i) => i % STEP === 0 || name.startsWith('sample.'));
  const pmids = asked.map(([, pmid]) => pmid);
  const descs = await probe.ask<(number | number[])[]>('descs', { pmids });
  const texts = await probe.ask<unknown[][]>('texts', { pmids });
  const targets = pmids.flatMap((pmid, i) => {
    const desc = descs[i]!;
    const indom = typeof desc === 'number' ? INDOM_NULL : desc[2]!;
    const ofIndom = indom === INDOM_NULL ? [] : [['indom', indom]];
    return [['context', 0], ['domain', (pmid >>> 22) & 511], ...ofIndom, ['cluster', pmid], ['item', pmid]].map(
      (target) => ({ i, target }),
    );
  });
  const sets = await probe.ask<(number | (readonly [number, Labels])[])[]>('labels', {
    targets: targets.map(({ target }) => target),
  });
  const merged: Labels[] = pmids.map(() => ({}));
  for (const [k, { i }] of targets.entries()) {
    const set = sets[k]!;
    if (typeof set !== 'number') for (const [, own] of set) merged[i] = { ...merged[i], ...own };
  }
  return { names: asked.map(([name]) => name), pmids: new Map(asked), descs, texts, labels: merged };
}

/** What pminfo shows of the same definitions, by name: libpcp reads them from a file. */
function pminfoDerived(port: number): ReadonlyMap<string, readonly string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pmgate-rest-'));
  const file = path.join(folder, 'derived.conf');
  writeFileSync(file, EXPRESSIONS.map((expression, i) => `rest.e${i} = ${expression}\n`).join(''));
  const { stdout } = spawnSync('pminfo', ['-h', `127.0.0.1:${port}`, '-f', 'rest'], {
    encoding: 'utf8',
    env: { ...process.env, PCP_DERIVED_CONFIG: file },
  });
  rmSync(folder, { recursive: true });
  const blocks = stdout.split(/^(?=rest\.)/m).filter((block) => block.startsWith('rest.'));
  return new Map(
    blocks.map((block) => [
      block.slice(0, block.indexOf('\n')),
      [...block.matchAll(/ value (.*)$/gm)].map(([, text]) => Number(text).toPrecision(6)),
    ]),
  );
}

/** A descriptor of libpcp as PMWEBAPI spells it. */
function described(desc: number | readonly number[]): Descriptor | undefined {
  if (typeof desc === 'number') return undefined;
  const [pmid, type, indom, semantics, units] = desc as readonly [number, number, number, number, number];
  return {
    pmid: formatPmid(pmid),
    type: type === MetricType.NOSUPPORT ? 'unsupported' : formatMetricType(type).toLowerCase(),
    sem: formatSemantics(semantics),
    units: formatUnits(decodeUnits(units)) || 'none',
    ...(indom !== INDOM_NULL && { indom: formatIndom(indom) }),
  };
}

/** A value of the probe as a JSON answer has it. */
function readable(value: unknown, type: number): unknown {
  if (typeof value !== 'string' || type === MetricType.STRING) return value;
  const bytes = Buffer.from(value, 'hex');
  switch (type) {
    case MetricType.I32:
      return String(bytes.readInt32BE());
    case MetricType.U32:
      return String(bytes.readUInt32BE());
    case MetricType.I64:
      return String(bytes.readBigInt64BE());
    case MetricType.U64:
      return String(bytes.readBigUInt64BE());
    default:
      return rounded(type === MetricType.FLOAT ? bytes.readFloatBE() : bytes.readDoubleBE(), type);
  }
}

/** Integers with all digits, other numbers with as many as are compared. */
function rounded(value: unknown, type: number): unknown {
  if (type === MetricType.STRING) return value;
  if (type <= MetricType.U64) return String(value);
  return Number(value).toPrecision(type === MetricType.FLOAT ? 6 : 9);
}
