import { GatewayError } from '../../pmapi/index.js';
import type { Answer, AnyRequest } from '../contracts.js';

/** A panel of metrics that are alike. */
interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly metrics: readonly string[];
  /**
   * What their names end in where Prometheus scrapes them as OpenMetrics. Those of counters end in `_total`. They are drawn as rates:
   * Grafana's PCP plugin computes them, and the query of Prometheus does.
   */
  readonly suffix?: string;
  /** What Prometheus divides by to have the panel's unit. */
  readonly divisor?: number;
  readonly hasInstances?: boolean;
}

const PANELS: readonly Panel[] = [
  { title: 'Load average', unit: 'short', metrics: ['kernel.all.load'], hasInstances: true },
  {
    title: 'CPU time per second',
    unit: 'percentunit',
    metrics: ['kernel.all.cpu.user', 'kernel.all.cpu.sys', 'kernel.all.cpu.wait.total'],
    suffix: '_milliseconds_total',
    divisor: 1000,
  },
  {
    title: 'Memory',
    unit: 'kbytes',
    metrics: ['mem.util.used', 'mem.util.cached', 'mem.util.free'],
    suffix: '_kibibytes',
  },
  { title: 'Processes', unit: 'short', metrics: ['kernel.all.nprocs'] },
  {
    title: 'Disk throughput',
    unit: 'KiBs',
    metrics: ['disk.dev.read_bytes', 'disk.dev.write_bytes'],
    suffix: '_kibibytes_total',
    hasInstances: true,
  },
  {
    title: 'Network throughput',
    unit: 'binBps',
    metrics: ['network.interface.in.bytes', 'network.interface.out.bytes'],
    suffix: '_total',
    hasInstances: true,
  },
];

interface DataSource {
  readonly name: string;
  readonly plugin: string;
  /** What lists the hosts, for a variable of the dashboard. */
  readonly hosts: string | undefined;
  readonly target: (metric: string, panel: Panel) => object;
}

/** A target of Grafana's PCP plugin, which fills in `$instance`. */
function pcpTarget(metric: string, { hasInstances }: Panel, selector = ''): object {
  const legendFormat = hasInstances === true ? `${metric} $instance` : metric;
  return { expr: `${metric}${selector}`, format: 'time_series', legendFormat };
}

const SOURCES: ReadonlyMap<string, DataSource> = new Map(
  Object.entries<DataSource>({
    'vector.json': {
      name: 'PCP Vector',
      plugin: 'performancecopilot-vector-datasource',
      hosts: undefined,
      target: (metric, panel) => pcpTarget(metric, panel),
    },
    'valkey.json': {
      name: 'PCP Valkey',
      plugin: 'performancecopilot-valkey-datasource',
      hosts: 'label_values(hostname)',
      target: (metric, panel) => pcpTarget(metric, panel, '{hostname == "$host"}'),
    },
    'prometheus.json': {
      name: 'Prometheus',
      plugin: 'prometheus',
      hosts: 'label_values(kernel_all_load, hostname)',
      target: (metric, { suffix = '', divisor, hasInstances }) => {
        const selector = `${metric.replace(/\.total$/, '').replaceAll('.', '_')}${suffix}{hostname="$host"}`;
        const values = suffix.endsWith('_total') ? `rate(${selector}[$__rate_interval])` : selector;
        const expr = divisor === undefined ? values : `${values} / ${divisor}`;
        return { expr, legendFormat: hasInstances === true ? `${metric} {{instname}}` : metric };
      },
    },
  }),
);

/** A dashboard that Grafana imports: an overview of a host, for one kind of data source. */
export function runGrafanaDashboard({ path: { file = '' } }: AnyRequest): Answer {
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
  const panels = PANELS.map((panel, i) => ({
    id: i + 1,
    title: panel.title,
    type: 'timeseries',
    datasource,
    gridPos: { x: 12 * (i % 2), y: 8 * Math.floor(i / 2), w: 12, h: 8 },
    fieldConfig: { defaults: { unit: panel.unit, min: 0 }, overrides: [] },
    targets: panel.metrics.map((metric, k) => ({
      refId: String.fromCharCode(65 + k),
      datasource,
      ...source.target(metric, panel),
    })),
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
