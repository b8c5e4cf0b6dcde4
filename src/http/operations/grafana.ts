import { GatewayError } from '../../pmapi/index.js';
import type { Answer, OperationRequest } from '../contracts.js';

interface Drawn {
  readonly name: string;
  /** What it is called in Prometheus, where it is scraped as OpenMetrics. */
  readonly scraped: string;
  /** A counter is drawn as its rate: Grafana's PCP plugin computes it, and the query of Prometheus does. */
  readonly isCounter?: boolean;
  /** What Prometheus divides by to have the panel's unit. */
  readonly divisor?: number;
  readonly hasInstances?: boolean;
}

interface PanelContent {
  readonly title: string;
  readonly unit: string;
  readonly metrics: readonly Drawn[];
}

const PANELS: readonly PanelContent[] = [
  {
    title: 'Load average',
    unit: 'short',
    metrics: [{ name: 'kernel.all.load', scraped: 'kernel_all_load', hasInstances: true }],
  },
  {
    title: 'CPU time per second',
    unit: 'percentunit',
    metrics: ['user', 'sys', 'wait.total'].map((kind) => ({
      name: `kernel.all.cpu.${kind}`,
      scraped: `kernel_all_cpu_${kind.replace('.total', '')}_milliseconds_total`,
      divisor: 1000,
      isCounter: true,
    })),
  },
  {
    title: 'Memory',
    unit: 'kbytes',
    metrics: ['used', 'cached', 'free'].map((kind) => ({
      name: `mem.util.${kind}`,
      scraped: `mem_util_${kind}_kibibytes`,
    })),
  },
  {
    title: 'Processes',
    unit: 'short',
    metrics: [{ name: 'kernel.all.nprocs', scraped: 'kernel_all_nprocs' }],
  },
  {
    title: 'Disk throughput',
    unit: 'KiBs',
    metrics: ['read', 'write'].map((kind) => ({
      name: `disk.dev.${kind}_bytes`,
      scraped: `disk_dev_${kind}_bytes_kibibytes_total`,
      isCounter: true,
      hasInstances: true,
    })),
  },
  {
    title: 'Network throughput',
    unit: 'binBps',
    metrics: ['in', 'out'].map((way) => ({
      name: `network.interface.${way}.bytes`,
      scraped: `network_interface_${way}_bytes_total`,
      isCounter: true,
      hasInstances: true,
    })),
  },
];

interface DataSource {
  readonly name: string;
  readonly plugin: string;
  /** What lists the hosts, for a variable of the dashboard. */
  readonly hosts: string | undefined;
  readonly target: (metric: Drawn) => object;
}

/** The way of metric names: `$instance` is filled in by the PCP plugin, `{{instname}}` by Prometheus. */
const pcpLegend = ({ name, hasInstances }: Drawn): string => (hasInstances === true ? `${name} $instance` : name);

const SOURCES: ReadonlyMap<string, DataSource> = new Map([
  [
    'vector.json',
    {
      name: 'PCP Vector',
      plugin: 'performancecopilot-vector-datasource',
      hosts: undefined,
      target: (metric) => ({ expr: metric.name, format: 'time_series', legendFormat: pcpLegend(metric) }),
    },
  ],
  [
    'valkey.json',
    {
      name: 'PCP Valkey',
      plugin: 'performancecopilot-valkey-datasource',
      hosts: 'label_values(hostname)',
      target: (metric) => ({
        expr: `${metric.name}{hostname == "$host"}`,
        format: 'time_series',
        legendFormat: pcpLegend(metric),
      }),
    },
  ],
  [
    'prometheus.json',
    {
      name: 'Prometheus',
      plugin: 'prometheus',
      hosts: 'label_values(kernel_all_load, hostname)',
      target: ({ name, scraped, isCounter, divisor, hasInstances }) => {
        const selector = `${scraped}{hostname="$host"}`;
        const values = isCounter === true ? `rate(${selector}[$__rate_interval])` : selector;
        return {
          expr: divisor === undefined ? values : `${values} / ${divisor}`,
          legendFormat: hasInstances === true ? `${name} {{instname}}` : name,
        };
      },
    },
  ],
]);

/** A dashboard that Grafana imports: an overview of a host, for one kind of data source. */
export function runGrafanaDashboard({ path: { file = '' } }: OperationRequest<object>): Answer {
  const source = SOURCES.get(file);
  if (!source) {
    const expected = [...SOURCES.keys()].join(', ');
    throw new GatewayError('NOT_FOUND', `no such dashboard: ${file}`, { parameter: 'file', expected });
  }
  return {
    contentType: 'application/json',
    body: `${JSON.stringify(dashboardFor(source), undefined, 2)}\n`,
    headers: ['Content-Disposition', `inline; filename="pmgate-${file}"`],
  };
}

/** @see https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/ */
function dashboardFor(source: DataSource): object {
  const datasource = { type: source.plugin, uid: '${DS_PMGATE}' };
  const panels = PANELS.map(({ title, unit, metrics }, i) => ({
    id: i + 1,
    title,
    type: 'timeseries',
    datasource,
    gridPos: { x: 12 * (i % 2), y: 8 * Math.floor(i / 2), w: 12, h: 8 },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: metrics.map((metric, k) => ({ refId: String.fromCharCode(65 + k), datasource, ...source.target(metric) })),
  }));
  const host = { name: 'host', label: 'Host', type: 'query', datasource, refresh: 2, query: source.hosts };
  return {
    __inputs: [
      { name: 'DS_PMGATE', label: source.name, type: 'datasource', pluginId: source.plugin, pluginName: source.name },
    ],
    title: `pmgate: host overview (${source.name})`,
    tags: ['pcp', 'pmgate'],
    schemaVersion: 39,
    time: { from: 'now-30m', to: 'now' },
    refresh: '10s',
    templating: { list: source.hosts === undefined ? [] : [host] },
    panels,
  };
}
