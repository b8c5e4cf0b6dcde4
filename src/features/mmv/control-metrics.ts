import {
  DIMENSIONLESS,
  INDOM_NULL,
  INSTANCE_NULL,
  makeIndom,
  makePmid,
  MetricType,
  Semantics,
} from '../../pmapi/index.js';
import type { Instance, InstanceDomain, MetricDescriptor, ValueSet } from '../../pmapi/index.js';
import { getOrMake } from '../../kit/index.js';
import type { HelpLevel, HelpTarget, InstanceProfile } from '../../sources/index.js';
import { MMV_DOMAIN } from './mmv-catalogue.js';
import type { MmvProblem } from './mmv-directory.js';

export interface ControlState {
  readonly isWriting: boolean;
  readonly files: number;
  readonly metrics: number;
  readonly refused: number;
  readonly problems: readonly MmvProblem[];
}

export interface ControlMetric {
  readonly name: string;
  readonly descriptor: MetricDescriptor;
  readonly oneline: string;
  readonly help: string;
  fill(set: ValueSet, profile: InstanceProfile): void;
}

/** No file has instance domains of cluster 0. */
const PROBLEM_FILES = makeIndom(MMV_DOMAIN, 0);
/** Files whose problems are reported, and names of files that have numbers. */
const MOST_FILES = 1000;
const COUNT = 'Count of currently mapped and exported';
const NOTHING: ControlState = { isWriting: false, files: 0, metrics: 0, refused: 0, problems: [] };

/** Metrics about the files: PCP's, and ours from item 100 on. */
export class ControlMetrics {
  readonly #metrics: ReadonlyMap<number, ControlMetric>;
  readonly #numbers = new Map<string, number>();
  #state = NOTHING;
  /** The first problem of each file, by the number of the file. */
  #problems = new Map<number, { readonly file: string; readonly text: string }>();

  constructor() {
    const metrics = [
      number(
        0,
        'reload',
        () => (this.#state.isWriting ? 1 : 0),
        'Control maps reloading',
        '1 while a file is being written.',
      ),
      number(2, 'files', () => this.#state.files, 'Memory mapped file count', `${COUNT} statistics files.`),
      number(
        3,
        'metrics',
        () => this.#state.metrics,
        'Memory mapped metric count',
        `${COUNT} metrics.\nExcludes the mmv.control.* metrics.`,
      ),
      number(
        100,
        'refused',
        () => this.#state.refused,
        'Files that are not served',
        'Count of files that are damaged, too large or too many.\nmmv.control.problem names them.',
      ),
      this.#problemMetric(),
    ];
    this.#metrics = new Map(metrics.map((metric) => [metric.descriptor.pmid, metric]));
  }

  get names(): readonly (readonly [name: string, pmid: number])[] {
    return [...this.#metrics.values()].map(({ name, descriptor }) => [name, descriptor.pmid]);
  }

  metric(pmid: number): ControlMetric | undefined {
    return this.#metrics.get(pmid);
  }

  instances(indom: number): InstanceDomain | undefined {
    if (indom !== PROBLEM_FILES) return undefined;
    const instances: Instance[] = [...this.#problems].map(([id, { file }]) => ({ id, name: file }));
    return { indom, instances };
  }

  helpText(target: HelpTarget, level: HelpLevel): string | undefined {
    if (target.kind === 'metric') return this.#metrics.get(target.pmid)?.[level];
    return target.indom === PROBLEM_FILES ? 'Files that are not served, or only in part' : undefined;
  }

  update(state: ControlState): void {
    this.#state = state;
    this.#problems = new Map();
    const reasons = new Map<string, string[]>();
    for (const { file, reason } of state.problems) {
      const others = reasons.get(file);
      if (others) others.push(reason);
      else if (reasons.size < MOST_FILES) reasons.set(file, [reason]);
    }
    for (const [file, [first, ...others]] of reasons) {
      const more = others.length > 0 ? ` (and ${others.length} more)` : '';
      this.#problems.set(this.#numberOf(file), { file, text: `${first!}${more}` });
    }
  }

  /** A file keeps its number. */
  #numberOf(file: string): number {
    if (!this.#numbers.has(file) && this.#numbers.size >= 2 * MOST_FILES) this.#numbers.clear();
    return getOrMake(this.#numbers, file, () => this.#numbers.size);
  }

  #problemMetric(): ControlMetric {
    return {
      name: 'mmv.control.problem',
      descriptor: descriptor(101, MetricType.STRING, Semantics.DISCRETE, PROBLEM_FILES),
      oneline: 'Why a file is not served, or only in part',
      help: 'The first problem of each file that is not served as its application wrote it.\n',
      fill: (set, profile) => {
        for (const [id, { text }] of this.#problems) if (profile.includes(PROBLEM_FILES, id)) set.addText(id, text);
      },
    };
  }
}

function number(item: number, name: string, read: () => number, oneline: string, help: string): ControlMetric {
  const fill = (set: ValueSet): void => set.addNumber(INSTANCE_NULL, read());
  return {
    name: `mmv.control.${name}`,
    descriptor: descriptor(item, MetricType.I32, Semantics.INSTANT),
    oneline,
    help: `${help}\n`,
    fill,
  };
}

function descriptor(item: number, type: MetricType, semantics: Semantics, indom = INDOM_NULL): MetricDescriptor {
  return { pmid: makePmid(MMV_DOMAIN, 0, item), type, indom, semantics, units: DIMENSIONLESS };
}
