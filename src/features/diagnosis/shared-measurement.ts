import type { Context } from '../../context/index.js';
import { takeTwoSamples } from '../../culprits/index.js';
import type { TwoSamples } from '../../culprits/index.js';
import type { Timers } from '../../kit/index.js';
import type { Clock } from '../../pmapi/index.js';

interface Measurement {
  readonly samples: Promise<TwoSamples>;
  readonly controller: AbortController;
  waiting: number;
}

/** Measures live hosts: requests that come meanwhile wait for the same measurement, which stops when all have left. */
export class SharedMeasurement {
  readonly #options: { readonly timers: Pick<Timers, 'after'>; readonly clock: Clock };
  readonly #underWay = new Map<Context, Measurement>();

  constructor(options: { readonly timers: Pick<Timers, 'after'>; readonly clock: Clock }) {
    this.#options = options;
  }

  /** Throws as a fetch does, and the signal's reason. */
  async take(context: Context, names: readonly string[], signal: AbortSignal): Promise<TwoSamples> {
    const measurement = this.#underWay.get(context) ?? this.#begin(context, names);
    measurement.waiting++;
    let leave: (() => void) | undefined;
    const gone = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason as Error);
      signal.addEventListener('abort', leave);
    });
    try {
      signal.throwIfAborted();
      return await Promise.race([measurement.samples, gone]);
    } finally {
      signal.removeEventListener('abort', leave!);
      if (--measurement.waiting === 0) {
        measurement.controller.abort();
        this.#end(context, measurement);
      }
    }
  }

  #begin(context: Context, names: readonly string[]): Measurement {
    const controller = new AbortController();
    const samples = takeTwoSamples(context, names, { ...this.#options, signal: controller.signal });
    const measurement = { samples, controller, waiting: 0 };
    this.#underWay.set(context, measurement);
    const end = (): void => this.#end(context, measurement);
    samples.then(end, end);
    return measurement;
  }

  #end(context: Context, measurement: Measurement): void {
    if (this.#underWay.get(context) === measurement) this.#underWay.delete(context);
  }
}
