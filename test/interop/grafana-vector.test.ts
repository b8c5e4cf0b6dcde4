import { type Ask, GrafanaVector, type VectorMetadata } from '../support/grafana-vector.js';
import { area } from './support/conformance.js';
import { type RunningPmcd, describeWithPcp, startPmcd } from './support/pmcd.js';
import { type RunningPmproxy, get, startPmproxy } from './support/pmproxy.js';
import { atOneTime, canonical } from './support/score.js';
import { type SampleSetup, makeSampleSetup } from './support/sample-agent.js';
import { PATIENT_HOSTS } from '../support/patience.js';
import { type RunningGateway, startGateway } from '../support/whole-gateway.js';

/** Metrics whose values stand still, or count with the clock, and expressions over them. */
const EXPRESSIONS = [
  'hinv.ncpu',
  'mem.physmem',
  'kernel.uname.sysname',
  'network.interface.mtu',
  'hinv.cpu.online',
  'kernel.all.pswitch',
  'kernel.uname.release',
  'sample.bad.unknown',
  'no.such.metric',
  '2 * mem.physmem',
  '2 * mem.physmem',
  'network.interface.mtu[lo] / 3',
  'sum(network.interface.mtu)',
  'rate(kernel.all.pswitch)',
  'mem.physmem +',
  'mem.physmem + hinv.ncpu',
];

const AT_ONCE = 3;

interface Dashboard {
  readonly version: string;
  readonly variable: readonly string[];
  readonly completed: readonly string[];
  readonly states: readonly unknown[];
  readonly metadata: readonly (VectorMetadata | undefined)[];
  readonly lines: readonly { readonly labels: Readonly<Record<string, unknown>> }[];
  readonly contexts: number;
}

async function show(ask: Ask, hostspec: string): Promise<Dashboard> {
  // Contexts live as long as the refresh interval, and 10 s: also on a slow machine.
  const vector = new GrafanaVector(ask, { hostspec, refreshMs: 300_000 });
  const version = await vector.test();
  const variable = await vector.variable('network.interface.mtu');
  const completed = await vector.complete('sample.long');
  for (const [i, expr] of EXPRESSIONS.entries()) {
    vector.add(expr);
    // pmproxy breaks off answers with the metadata of many metrics.
    if (i % AT_ONCE === AT_ONCE - 1) await vector.poll();
  }
  for (let i = 0; i < 3; i++) await vector.poll();
  const lines = EXPRESSIONS.flatMap((expr) =>
    vector.series(expr).map(({ name, labels, values }) => ({
      name,
      labels,
      values: values.slice(-2).map((value) => shown(value, /pswitch/.test(expr))),
    })),
  );
  const metadata = EXPRESSIONS.map((expr) => vector.metadata(GrafanaVector.nameOf(expr)));
  return {
    version,
    variable,
    completed: completed.names,
    states: vector.states,
    metadata: metadata.map(
      (found) =>
        found && {
          name: found.name,
          type: found.type,
          sem: found.sem,
          units: found.units,
          labels: found.labels,
          ...(found.indom !== undefined && { indom: found.indom }),
        },
    ),
    lines,
    contexts: vector.contexts,
  };
}

/** A value to as many digits as pmproxy writes; of what moves with the clock, only whether there is one. */
function shown(value: number | string | null, moves: boolean): unknown {
  if (moves) return value !== null;
  return typeof value === 'number' ? Number(value.toPrecision(14)) : value;
}

/** Labels that differ on purpose, and why. */
const LABELS_OF_INSTANCES = 'pmproxy 6 leaves out the labels of instances';
const LABELS_OF_DOMAINS =
  'the labels of an instance domain are those of the host; pmproxy has none for a container that is not there';

const VALUES_OF_NOTHING =
  'of a container that is not there pmcd has errors in place of values: pmproxy 6 makes zeros of them, pmgate no values';

/** Things with labels, without some of them. */
function withoutLabels(
  things: readonly ({ readonly labels: Readonly<Record<string, unknown>> } | undefined)[],
  names: readonly string[],
): unknown {
  const missing = Object.fromEntries(names.map((name) => [name, undefined]));
  return things.map((thing) => thing && { ...thing, labels: { ...thing.labels, ...missing } });
}

describeWithPcp("Grafana's PCP plugin in front of pmproxy and of pmgate", () => {
  let sample: SampleSetup;
  let pmcd: RunningPmcd;
  let pmproxy: RunningPmproxy;
  let gateway: RunningGateway;
  let port: number;

  beforeAll(async () => {
    sample = makeSampleSetup();
    pmcd = await startPmcd(sample.setup);
    pmproxy = await startPmproxy(pmcd.port);
    gateway = await startGateway({ PMGATE_HOSTS_ALLOW: `127.0.0.1:${pmcd.port}`, ...PATIENT_HOSTS });
    ({ port } = gateway);
  });
  afterAll(async () => {
    await gateway.close();
    await pmproxy.stop();
    await pmcd.stop();
    sample.remove();
  });

  /** Asks one server, one thing at a time: four at once crash pmproxy. */
  function asking(server: number): Ask {
    let last: Promise<unknown> = Promise.resolve();
    return async (target, headers) => {
      const answer = last.then(() => get(server, target, headers));
      last = answer.catch(() => undefined);
      const { status, body } = await answer;
      return { status, text: body };
    };
  }

  it.each([
    { what: 'a host', attributes: '', otherLabels: [] },
    { what: 'a container', attributes: '?container=none', otherLabels: ['indom_name', 'device_type'] },
  ])('shows the same of $what', async ({ attributes, otherLabels }) => {
    const hostspec = `pcp://127.0.0.1:${pmcd.port}${attributes}`;
    // Interfaces come and go.
    const { theirs, ours } = await atOneTime(
      () => show(asking(pmproxy.port), hostspec),
      () => show(asking(port), hostspec),
      ({ variable }, { variable: own }) => canonical(variable) === canonical(own),
    );
    expect(theirs.lines.length).toBeGreaterThan(5);
    const row = area("Grafana's plugin");
    for (const member of ['version', 'variable', 'completed', 'states', 'contexts'] as const) {
      await row.check(() => expect({ [member]: ours[member] }).toEqual({ [member]: theirs[member] }));
    }
    await row.check(() =>
      expect(withoutLabels(ours.metadata, otherLabels)).toEqual(withoutLabels(theirs.metadata, otherLabels)),
    );
    if (otherLabels.length > 0) row.different(LABELS_OF_DOMAINS);
    if (attributes !== '') {
      row.different(VALUES_OF_NOTHING);
      await row.check(() => expect(ours.lines).toEqual([]));
      return;
    }
    const instanceLabels = ['cpu', 'interface'];
    await row.check(() =>
      expect(withoutLabels(ours.lines, instanceLabels)).toEqual(withoutLabels(theirs.lines, instanceLabels)),
    );
    row.different(LABELS_OF_INSTANCES);
  });

  it.each([['pmproxy'], ['pmgate']])('gets over an expired context of %s', async (server) => {
    const ask = asking(server === 'pmproxy' ? pmproxy.port : port);
    let isExpired = false;
    // As if the context had expired: the next request names one that is not there.
    const forgetful: Ask = (target, headers) => {
      const asked = isExpired ? target.replace(/context=\d+/, 'context=4711') : target;
      isExpired = false;
      return ask(asked, headers);
    };
    const vector = new GrafanaVector(forgetful, { hostspec: `pcp://127.0.0.1:${pmcd.port}`, refreshMs: 300_000 });
    vector.add('2 * mem.physmem');
    await vector.poll();
    const first = vector.context;
    isExpired = true;
    await vector.poll();
    await area("Grafana's plugin", server as 'pmproxy' | 'pmgate').check(() => {
      expect(vector.context).not.toBe(first);
      expect(vector.states).toEqual([{ expr: '2 * mem.physmem', state: 'available', error: undefined }]);
      expect(vector.series('2 * mem.physmem')[0]!.values).toHaveLength(2);
    });
  });
});
