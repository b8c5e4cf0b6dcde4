import { encodeUnits, FetchResult, INDOM_NULL, MetricType, PmError, ValueSet } from '../../src/pmapi/index.js';
import type { LabelTarget, MetricDescriptor } from '../../src/pmapi/index.js';
import { InstanceProfile } from '../../src/sources/index.js';
import { PmcdPools, type PmcdSource } from '../../src/sources/pmcd/index.js';
import { type ResultReply, decodeResult } from '../../src/sources/pmcd/replies.js';
import { EventFlag, type EventRecord, type EventValue, decodeEventRecords } from '../../src/sources/wire/index.js';
import { area } from './support/conformance.js';
import { PduTap } from './support/pdu-tap.js';
import { PmcdProbe, type ProbedEvent, type ProbedFetch, type ProbedValue } from './support/pmcd-probe.js';
import { type RunningPmcd, describeWithPcp, startPmcd } from './support/pmcd.js';
import { type SampleSetup, makeSampleSetup } from './support/sample-agent.js';
import { atOneTime, canonical, Score } from './support/score.js';

const RESULT = 0x7001;
const HIGHRES_RESULT = 0x7015;
const HIGHRES_FEATURE = 0x0400;
const EVENT_FLAGS = ((511 << 22) | 1) >>> 0;
const EVENT_MISSED = ((511 << 22) | 2) >>> 0;
const SAMPLE_CHUNK = 400;
const everything = new InstanceProfile();

/** The PM_ERR code with which something failed, in place of its result. */
const orError = <T>(promise: Promise<T>): Promise<T | { error: number }> =>
  promise.catch((error: unknown) => ({ error: (error as PmError).pmErr }));

function written(set: ValueSet, i: number): ProbedValue {
  const { column, type } = set;
  switch (type) {
    case MetricType.STRING:
      return column.texts[i]!;
    case MetricType.AGGREGATE:
    case MetricType.AGGREGATE_STATIC:
      return Buffer.from(column.bytes[i]!).toString('hex');
    case MetricType.EVENT:
    case MetricType.HIGHRES_EVENT:
      return decodeEventRecords(column.bytes[i]!, type === MetricType.HIGHRES_EVENT).map(writtenEvent);
    case MetricType.I64:
    case MetricType.U64:
      return writtenNumber(type, column.integerAt(i));
    default:
      return writtenNumber(type, column.numbers[i]!);
  }
}

function writtenNumber(type: MetricType, value: number | bigint): string {
  const bytes = Buffer.alloc(type <= MetricType.U32 || type === MetricType.FLOAT ? 4 : 8);
  if (typeof value === 'bigint') bytes.writeBigUInt64BE(BigInt.asUintN(64, value));
  else if (type === MetricType.FLOAT) bytes.writeFloatBE(value);
  else if (type === MetricType.DOUBLE) bytes.writeDoubleBE(value);
  else bytes.writeUInt32BE(value >>> 0);
  return bytes.toString('hex');
}

/** libpcp shows flags and missed counts as parameters of their own. */
function writtenEvent({ timestamp, flags, missed, parameters }: EventRecord): ProbedEvent {
  const shown: [number, ProbedValue][] = parameters.map(({ pmid, type, value }) => [
    pmid,
    writtenParameter(type, value),
  ]);
  const word = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');
  if (flags !== 0) shown.unshift([EVENT_FLAGS, word(flags)]);
  if (flags >= EventFlag.MISSED) shown.push([EVENT_MISSED, word(missed)]);
  return [[timestamp.sec, timestamp.nsec], shown];
}

function writtenParameter(type: MetricType, value: EventValue): ProbedValue {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'string' ? value : writtenNumber(type, value);
}

describeWithPcp('pmgate beside libpcp, on one pmcd', () => {
  let sample: SampleSetup;
  let pmcd: RunningPmcd;
  let probe: PmcdProbe;
  let pools: PmcdPools;
  let source: PmcdSource;
  let names: readonly string[];
  let pmids: readonly number[];
  let descriptors: readonly (MetricDescriptor | number)[];
  const indoms = new Set<number>();

  beforeAll(async () => {
    sample = makeSampleSetup();
    pmcd = await startPmcd(sample.setup);
    probe = new PmcdProbe(`127.0.0.1:${pmcd.port}`);
    pools = new PmcdPools({ connectTimeoutMs: 60_000, replyTimeoutMs: 60_000 });
    source = await pools.open(`127.0.0.1:${pmcd.port}`);
    names = await source.traverse('');
    pmids = await source.lookupNames(names);
    descriptors = await source.describe(pmids);
    for (const found of descriptors)
      if (typeof found === 'object' && found.indom !== INDOM_NULL) indoms.add(found.indom);
  });

  afterAll(async () => {
    probe.close();
    await pools.close();
    await pmcd.stop();
    sample.remove();
  });

  it('sees the same names and PMIDs', async () => {
    const theirs = await probe.ask<{ names: string[]; pmids: number[] }>('names');
    // libpcp adds two names for what event arrays hold.
    const known = theirs.names
      .map((name, i) => [name, theirs.pmids[i]!] as const)
      .filter(([name]) => !name.startsWith('event.'));
    const score = new Score('names (PMNS)');
    const ours = new Map(names.map((name, i) => [name, pmids[i]]));
    for (const [name, pmid] of known) score.check(name, pmid, ours.get(name));
    score.check('number of names', known.length, names.length);
    expect(names.filter((name) => name.startsWith('sample.')).length).toBeGreaterThan(100);
    area('names (PMNS)').different(
      'libpcp adds the names event.flags and event.missed of its own; pmcd does not know them, and neither does pmgate',
      theirs.names.length - known.length,
    );
    score.report('pmcd interop, names');
  });

  it('walks to the same children', async () => {
    const inner = [
      ...new Set(names.flatMap((name) => name.split('.').map((_, i, parts) => parts.slice(0, i).join('.')))),
    ];
    const asked = [...inner.filter((name) => name !== ''), names[0]!, 'no.such.node'];
    const theirs = await probe.ask<unknown[]>('children', { names: asked });
    const score = new Score('names (PMNS)');
    for (const [i, name] of asked.entries()) {
      const ours = await orError(source.children(name));
      const pairs =
        'error' in ours
          ? ours
          : [...ours.leaf.map((leaf) => [leaf, 0] as const), ...ours.nonleaf.map((node) => [node, 1] as const)].sort(
              ([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)),
            );
      score.check(name, theirs[i], pairs);
    }
    score.report('pmcd interop, children');
  });

  it('sees the same descriptors', async () => {
    const asked = [...pmids, 0x12345, ((29 << 22) | 1000) >>> 0, 0xffffffff];
    const theirs = await probe.ask<unknown[]>('descs', { pmids: asked });
    const ours = await source.describe(asked);
    const score = new Score('descriptors');
    for (const [i, found] of ours.entries()) {
      const { pmid, type, indom, semantics, units } = found as MetricDescriptor;
      const five = typeof found === 'number' ? found : [pmid, type, indom, semantics, encodeUnits(units)];
      score.check(names[i] ?? String(asked[i]), theirs[i], five);
    }
    score.report('pmcd interop, descriptors');
  });

  it('gives all names of a PMID', async () => {
    const asked = pmids.filter((_, i) => i % 7 === 0 || names[i]!.startsWith('sample.dupnames'));
    const theirs = await probe.ask<unknown[]>('aliases', { pmids: asked });
    const score = new Score('names (PMNS)');
    for (const [i, pmid] of asked.entries()) score.check(String(pmid), theirs[i], await orError(source.namesOf(pmid)));
    score.report('pmcd interop, names of PMIDs');
  });

  it('reads the same help', async () => {
    const theirs = await probe.ask<unknown[][]>('texts', { pmids });
    const score = new Score('help texts');
    await Promise.all(
      pmids.map(async (pmid, i) => {
        for (const [k, level] of (['oneline', 'help'] as const).entries()) {
          const ours = await orError(source.helpText({ kind: 'metric', pmid }, level));
          score.check(`${names[i]!} ${level}`, theirs[i]![k], ours ?? { error: -12349 });
        }
      }),
    );
    score.report('pmcd interop, help');
  });

  it('sees the same instances', async () => {
    const score = new Score('instances');
    for (const indom of [...indoms, 5]) {
      const { theirs, ours } = await atOneTime(
        async () => (await probe.ask<unknown[]>('indoms', { indoms: [indom] }))[0],
        async () => {
          const found = await orError(source.instances(indom));
          return 'error' in found ? found.error : found.instances.map(({ id, name }) => [id, name]);
        },
      );
      score.check(String(indom), theirs, ours);
    }
    score.report('pmcd interop, instance domains');
  });

  it('sees the same labels', async () => {
    const targets: LabelTarget[] = [
      { kind: 'context' },
      ...[...new Set(pmids.map((pmid) => (pmid >>> 22) & 511))].map((domain) => ({ kind: 'domain', domain }) as const),
      ...[...indoms].flatMap((indom) => [{ kind: 'indom', indom } as const, { kind: 'instances', indom } as const]),
      ...pmids.flatMap((pmid) => [{ kind: 'cluster', pmid } as const, { kind: 'item', pmid } as const]),
    ];
    const ident = (target: LabelTarget): number => {
      if (target.kind === 'context') return 0;
      if (target.kind === 'domain') return target.domain;
      return target.kind === 'cluster' || target.kind === 'item' ? target.pmid : target.indom;
    };
    const ask = (asked: readonly LabelTarget[]): Promise<unknown[]> =>
      probe.ask('labels', { targets: asked.map((target) => [target.kind, ident(target)]) });
    const oursOf = async (target: LabelTarget): Promise<unknown> => {
      const found = await orError(source.labels(target));
      if ('error' in found) return found.error;
      return found.map(({ instance, labels }) => [
        instance >>> 0,
        Object.fromEntries(labels.map(({ name, json }) => [name, JSON.parse(json) as unknown])),
      ]);
    };
    const score = new Score('labels');
    const [all, own] = [await ask(targets), await Promise.all(targets.map(oursOf))];
    for (const [i, target] of targets.entries()) {
      const { theirs, ours } =
        canonical(all[i]) === canonical(own[i])
          ? { theirs: all[i], ours: own[i] }
          : await atOneTime(
              async () => (await ask([target]))[0],
              () => oursOf(target),
            );
      score.check(`${target.kind} ${ident(target)}`, theirs, ours);
    }
    score.report('pmcd interop, labels');
  });

  it.each([
    ['RESULT', RESULT, HIGHRES_FEATURE, false],
    ['HIGHRES_RESULT', HIGHRES_RESULT, 0, true],
  ])('reads the same values out of the same %s', async (title, pduType, hiddenFeatures, highres) => {
    const tap = await PduTap.start(pmcd.port, hiddenFeatures);
    const probe = new PmcdProbe(`127.0.0.1:${tap.port}`);
    const score = new Score('values');
    const set = new ValueSet();
    for (let from = 0; from < pmids.length; from += SAMPLE_CHUNK) {
      const asked = pmids.slice(from, from + SAMPLE_CHUNK);
      const found = descriptors.slice(from, from + SAMPLE_CHUNK);
      const types = found.map((each) => (typeof each === 'object' ? each.type : MetricType.NOSUPPORT));
      const theirs = await probe.ask<ProbedFetch>('fetch', { pmids: asked, types, highres });
      const reply = decodeResult(tap.last(pduType)).next().value as ResultReply;
      score.check('timestamp', theirs.timestamp, [reply.timestamp.sec, reply.timestamp.nsec]);
      for (let i = 0; i < asked.length; i++) {
        const type = types[i]!;
        reply.decode(i, type, set);
        const ours =
          set.status <= 0
            ? set.status
            : Array.from({ length: set.status }, (_, k) => [set.instances[k], written(set, k)]);
        score.check(names[from + i]!, theirs.sets[i], ours);
      }
    }
    probe.close();
    await tap.stop();
    score.report(`pmcd interop, values of one ${title}`);
  });

  it('fetches what libpcp fetches, for every metric that stands still', async () => {
    const types = descriptors.map((each) => (typeof each === 'object' ? each.type : MetricType.NOSUPPORT));
    const [result, later] = [new FetchResult(), new FetchResult()];
    const prepared = source.prepare(pmids);
    await source.fetch(prepared, everything, result);
    const theirs = await probe.ask<ProbedFetch>('fetch', { pmids, types, highres: true });
    await source.fetch(prepared, everything, later);
    const shown = (set: ValueSet): unknown =>
      set.status <= 0 ? set.status : Array.from({ length: set.status }, (_, k) => [set.instances[k], written(set, k)]);
    const score = new Score('values');
    for (const [i, name] of names.entries()) {
      const [before, after] = [shown(result.sets[i]!), shown(later.sets[i]!)];
      if (
        canonical(before) === canonical(after) &&
        types[i] !== MetricType.EVENT &&
        types[i] !== MetricType.HIGHRES_EVENT
      ) {
        score.check(name, theirs.sets[i], before);
      }
    }
    expect(score.total).toBeGreaterThan(pmids.length / 2);
    process.stderr.write(`pmcd interop, values at rest: ${score.passed} of ${score.total} (${pmids.length} metrics)\n`);
    // A metric may move and move back between the two fetches: those are not judged.
    area('values').equal(score.passed);
    expect(score.passed / score.total).toBeGreaterThan(0.99);
  });

  it('narrows to a profile as pmcd does', async () => {
    const [pmid] = await source.lookupNames(['sample.bin']);
    const { indom } = (await source.describe([pmid!]))[0] as MetricDescriptor;
    const profile = new InstanceProfile();
    profile.delete();
    profile.add(indom, [300, 700]);
    const result = new FetchResult();
    await source.fetch(source.prepare([pmid!]), profile, result);
    await area('profiles').check(() =>
      expect([...result.sets[0]!.instances.subarray(0, result.sets[0]!.status)]).toEqual([300, 700]),
    );
  });

  it.each<[string, (set: ValueSet) => void]>([
    ['sample.long.write_me', (set) => set.addNumber(-1, -123456)],
    ['sample.ulong.write_me', (set) => set.addNumber(-1, 4294967290)],
    ['sample.longlong.write_me', (set) => set.addInteger(-1, -(1n << 62n) - 1n)],
    ['sample.ulonglong.write_me', (set) => set.addInteger(-1, (1n << 63n) + 7n)],
    ['sample.float.write_me', (set) => set.addNumber(-1, 1.25)],
    ['sample.double.write_me', (set) => set.addNumber(-1, 0.1)],
    ['sample.string.write_me', (set) => set.addText(-1, 'written by pmgate')],
    ['sample.aggregate.write_me', (set) => set.addBytes(-1, Buffer.from([1, 0, 255]))],
  ])('stores %s, as libpcp sees', async (name, fill) => {
    const [pmid] = await source.lookupNames([name]);
    const { type } = (await source.describe([pmid!]))[0] as MetricDescriptor;
    const values = new FetchResult();
    values.resize(1);
    values.sets[0]!.reset(pmid!, type);
    fill(values.sets[0]!);
    await area('stores').check(async () => {
      await source.store(pmid!, values);
      const theirs = await probe.ask<ProbedFetch>('fetch', { pmids: [pmid], types: [type], highres: true });
      expect(theirs.sets[0]).toEqual([[-1, written(values.sets[0]!, 0)]]);
    });
  });
});
