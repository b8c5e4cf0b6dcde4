import { INSTANCE_NULL } from '../../../pmapi/index.js';
import { AGENT_INDOM, LINUX_CATALOG } from '../catalog/linux-catalog.js';
import type { LocalCluster, MetricBinding } from '../cluster.js';

/** What the gateway says of itself when clients ask it what they would ask pmcd. */
export interface CollectorFacts {
  hostName(): string;
  timeZone(): string;
  zoneInfo(): string;
  /** The release of PCP whose names, types and units are served (`7.2.1`). */
  readonly version: string;
  /** Agents by domain number, those of the gateway's own metrics included. */
  readonly agents: ReadonlyMap<number, string>;
  /** Contexts on the collector now. */
  clients(): number;
  /** Requests received so far. */
  requests(): number;
  /** Answers given so far. */
  answers(): number;
}

/** pmcd.*: the metrics about the collector that clients ask for when they start. */
export function pmcdCluster(facts: CollectorFacts): LocalCluster {
  const instances = [...facts.agents].map(([id, name]) => ({ id, name })).sort((a, b) => a.id - b.id);
  const text = (value: () => string): MetricBinding => ({
    kind: 'quick',
    samples: [],
    fill: (set) => set.addText(INSTANCE_NULL, value()),
  });
  const number = (value: () => number): MetricBinding => ({
    kind: 'quick',
    samples: [],
    fill: (set) => set.setNumber(value()),
  });
  const perAgent = (value: number): MetricBinding => ({
    kind: 'quick',
    samples: [],
    fill(set, profile) {
      for (const { id } of instances) if (profile.includes(AGENT_INDOM.indom, id)) set.addNumber(id, value);
    },
  });
  const table = new Map<string, MetricBinding>([
    ['pmcd.numagents', number(() => instances.length)],
    ['pmcd.numclients', number(() => facts.clients())],
    ['pmcd.timezone', text(() => facts.timeZone())],
    ['pmcd.zoneinfo', text(() => facts.zoneInfo())],
    ['pmcd.version', text(() => facts.version)],
    ['pmcd.hostname', text(() => facts.hostName())],
    ['pmcd.pid', number(() => process.pid)],
    ['pmcd.pdu_in.total', number(() => facts.requests() >>> 0)],
    ['pmcd.pdu_out.total', number(() => facts.answers() >>> 0)],
    ['pmcd.agent.type', perAgent(0)],
    ['pmcd.agent.status', perAgent(0)],
    [
      'pmcd.agent.name',
      {
        kind: 'quick',
        samples: [],
        fill(set, profile) {
          for (const { id, name } of instances) if (profile.includes(AGENT_INDOM.indom, id)) set.addText(id, name);
        },
      },
    ],
    ['pmcd.feature.containers', number(() => 0)],
    ['pmcd.feature.local', number(() => 0)],
  ]);
  return {
    name: 'pmcd',
    metrics: LINUX_CATALOG.bind(table),
    indoms: [{ catalog: AGENT_INDOM, samples: [], list: () => instances }],
  };
}
