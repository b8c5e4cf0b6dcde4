import { appendFileSync } from 'node:fs';
import path from 'node:path';

/** Whose answers are judged; libpcp's are the measure, and pmproxy's for the requests of PMWEBAPI. */
export type Subject = 'pmgate' | 'pmproxy';

/** The rows of the matrix that `npm run conformance` prints, in its order. */
export const AREAS = [
  'names (PMNS)',
  'descriptors',
  'instances',
  'labels',
  'help texts',
  'values',
  'profiles',
  'stores',
  'texts, units, times, numbers',
  'derived: syntax',
  'derived: metadata',
  'derived: values',
  'archives: metadata',
  'archives: records',
  'archives: interpolation',
  'ranges (pmrep, pmval)',
  'Linux collector',
  'PMWEBAPI: answers',
  'PMWEBAPI: errors',
  "Grafana's plugin",
] as const;
export type AreaName = (typeof AREAS)[number];

/** How many details of what is wrong are kept of one area in one suite. */
const DETAILS = 20;

/** One line of the file that the suites write: `count` cases of an area that came out alike. */
export interface Outcome {
  readonly subject: Subject;
  readonly area: AreaName;
  /** The file of the suite, from the top of the repository. */
  readonly suite: string;
  readonly outcome: 'equal' | 'different' | 'wrong';
  readonly count: number;
  /** Why they differ on purpose, or what is wrong. */
  readonly why?: string;
}

/**
 * Where a suite says what came out of its cases, beside failing on what is wrong. Kept in the file that the variable
 * PMGATE_CONFORMANCE names; without it nothing is kept.
 *
 *     area('labels').equal(812);
 */
export class Area {
  readonly #subject: Subject;
  readonly #name: AreaName;
  #details = 0;

  constructor(name: AreaName, subject: Subject) {
    this.#name = name;
    this.#subject = subject;
  }

  /** So many cases are as they should be. */
  equal(count = 1): void {
    this.#write('equal', count);
  }

  /** So many cases differ on purpose; the reason is one sentence, the same for all that have it. */
  different(reason: string, count = 1): void {
    this.#write('different', count, reason);
  }

  /** A case differs for no reason. */
  wrong(detail: string, count = 1): void {
    this.#details++;
    this.#write('wrong', count, this.#details <= DETAILS ? detail : undefined);
  }

  /** One case that is told by expectations: equal when they hold. */
  async check(run: () => unknown): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.wrong((error as Error).message);
      throw error;
    }
    this.equal();
  }

  #write(outcome: Outcome['outcome'], count: number, why?: string): void {
    const file = process.env.PMGATE_CONFORMANCE;
    if (file === undefined || file === '' || count === 0) return;
    const line: Outcome = {
      subject: this.#subject,
      area: this.#name,
      suite: path.relative(process.cwd(), expect.getState().testPath ?? ''),
      outcome,
      count,
      ...(why !== undefined && { why }),
    };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  }
}

/** An area of the matrix. */
export function area(name: AreaName, subject: Subject = 'pmgate'): Area {
  return new Area(name, subject);
}
