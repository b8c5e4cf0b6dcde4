import { INSTANCE_NULL, type ValueSet } from '../../../pmapi/index.js';
import { AGENT_INDOM } from '../catalog/linux-catalog.js';
import { cluster, quick, type LocalCluster, type MetricBinding } from '../cluster.js';

/** What the gateway says of itself when clients ask it what they would ask pmcd. */
export interface CollectorFacts {
  hostName(): string;
  timeZone(): string;
  zoneInfo(): string;
  /** The release of PCP whose names, types and units are served (`7.2.1`). */
  readonly version: string;
  /** Agents by domain number, those of the gateway's own metrics included. */
  readonly agents: ReadonlyMap<number, string>;
  clients(): number;
  requests(): number;
  answers(): number;
}

/** pmcd.*: the metrics about the collector that clients ask for when they start. */
export function pmcdCluster(facts: CollectorFacts): LocalCluster {
  const instances = [...facts.agents].map(([id, name]) => ({ id, name })).sort((a, b) => a.id - b.id);
  const text = (value: () => string): MetricBinding => quick([], (set) => set.addText(INSTANCE_NULL, value()));
  const number = (value: () => number): MetricBinding => quick([], (set) => set.setNumber(value()));
  const perAgent = (add: (set: ValueSet, id: number, name: string) => void): MetricBinding =>
    quick([], (set, profile) => {
      for (const { id, name } of instances) if (profile.includes(AGENT_INDOM.indom, id)) add(set, id, name);
    });
  const zeros = perAgent((set, id) => set.addNumber(id, 0));
  return cluster(
    'pmcd',
    [
      ['pmcd.numagents', number(() => instances.length)],
      ['pmcd.numclients', number(() => facts.clients())],
      ['pmcd.timezone', text(() => facts.timeZone())],
      ['pmcd.zoneinfo', text(() => facts.zoneInfo())],
      ['pmcd.version', text(() => facts.version)],
      ['pmcd.hostname', text(() => facts.hostName())],
      ['pmcd.pid', number(() => process.pid)],
      ['pmcd.pdu_in.total', number(() => facts.requests() >>> 0)],
      ['pmcd.pdu_out.total', number(() => facts.answers() >>> 0)],
      ['pmcd.agent.type', zeros],
      ['pmcd.agent.status', zeros],
      ['pmcd.agent.name', perAgent((set, id, name) => set.addText(id, name))],
      ['pmcd.feature.containers', number(() => 0)],
      ['pmcd.feature.local', number(() => 0)],
    ],
    [{ catalog: AGENT_INDOM, samples: [], list: () => instances }],
  );
}
