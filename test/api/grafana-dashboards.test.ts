import { type RunningGateway, startGateway } from '../support/whole-gateway.js';

interface Dashboard {
  readonly __inputs: readonly { readonly name: string; readonly pluginId: string }[];
  readonly templating: { readonly list: readonly { readonly query: string }[] };
  readonly panels: readonly { readonly targets: readonly { readonly expr: string; readonly refId: string }[] }[];
}

let running: RunningGateway;
beforeAll(async () => {
  running = await startGateway();
});
afterAll(() => running.close());

async function dashboard(file: string): Promise<Dashboard> {
  const answer = await fetch(`${running.url}/grafana/${file}`);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Dashboard;
}

const expressions = ({ panels }: Dashboard): readonly string[] =>
  panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

it('names its data source, and each query of a panel', async () => {
  for (const file of ['vector.json', 'valkey.json', 'prometheus.json']) {
    const { __inputs: inputs, panels } = await dashboard(file);
    expect(inputs).toHaveLength(1);
    expect(panels.length).toBeGreaterThan(4);
    for (const { targets } of panels) {
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
    }
  }
});

it('asks Vector for metrics that the gateway has', async () => {
  const names = expressions(await dashboard('vector.json'));
  const answer = await fetch(`${running.url}/pmapi/metric?names=${names.join()}`);
  const { metrics } = (await answer.json()) as { metrics: readonly { name: string; success?: boolean }[] };
  expect(metrics.filter(({ success }) => success !== false).map(({ name }) => name)).toEqual(names);
});

it('asks Valkey for the same metrics, in queries that are understood', async () => {
  const vector = expressions(await dashboard('vector.json'));
  const valkey = await dashboard('valkey.json');
  expect(expressions(valkey)).toEqual(vector.map((name) => `${name}{hostname == "$host"}`));
  for (const expr of expressions(valkey)) {
    const answer = await fetch(`${running.url}/series/query?expr=${encodeURIComponent(expr.replace('$host', 'web1'))}`);
    expect([expr, answer.status]).toEqual([expr, 200]);
  }
});

it('asks Prometheus for what a scrape of the gateway has', async () => {
  const scrape = await fetch(
    `${running.url}/metrics?format=openmetrics&names=kernel.all,mem.util,disk.dev,network.interface`,
  );
  const text = await scrape.text();
  const declared = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]));
  const prometheus = await dashboard('prometheus.json');
  for (const expr of expressions(prometheus)) {
    const [, rate, name] = /^(rate\()?([a-z_]+)\{hostname="\$host"\}/.exec(expr)!;
    const family = rate === undefined ? name! : name!.replace(/_total$/, '');
    // A machine without disks has no values of them.
    if (family.startsWith('disk_dev') && !declared.has(family)) continue;
    expect([expr, declared.get(family)]).toEqual([expr, rate === undefined ? 'gauge' : 'counter']);
  }
  expect(declared.has(/\((\w+),/.exec(prometheus.templating.list[0]!.query)![1]!)).toBe(true);
});

it('is not there by other names', async () => {
  expect((await fetch(`${running.url}/grafana/other.json`)).status).toBe(404);
});
