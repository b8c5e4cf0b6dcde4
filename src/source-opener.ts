import { GatewayError } from './pmapi/index.js';
import type { MetricSource, SourceFactory, SourceSpec } from './sources/index.js';
import type { LinuxCollector } from './sources/linux/index.js';

/** Hostspecs that mean the machine the gateway runs on. */
const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);

/** Opens a source for each context: the one place that decides what a hostspec reaches. */
export class SourceOpener implements SourceFactory {
  readonly #collector: LinuxCollector;

  constructor(collector: LinuxCollector) {
    this.#collector = collector;
  }

  /** Throws SOURCE_UNREACHABLE for anything that is not this machine: absent, refused and unknown hosts answer alike. */
  async open(spec: SourceSpec): Promise<MetricSource> {
    await Promise.resolve();
    if (spec.kind === 'host' && LOCAL_HOSTS.has(spec.hostspec.toLowerCase())) return this.#collector.open();
    throw new GatewayError('SOURCE_UNREACHABLE', 'cannot connect to PMCD: No route to host', { pmErr: -113 });
  }
}
