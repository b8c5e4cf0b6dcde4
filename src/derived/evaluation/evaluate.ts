import { INSTANCE_NULL, PM_ERR, ValueSet, type InstanceDomain, type Timestamp } from '../../pmapi/index.js';
import type { History, PreviousSample } from './history.js';
import { instanceNames } from './kernels/selection.js';
import type { Sample } from './kernels/lane.js';
import { NO_CELL, type Program } from './program.js';

export interface EvaluationInputs extends Sample {
  /** Numbers the fetches of a context: evaluating again under the same number gives the same, and leaves the history alone. */
  readonly sequence: number;
  readonly operands: readonly ValueSet[];
  readonly trace?: EvaluationTrace | undefined;
}

// Evaluation is synchronous and never nested, so all of it can share one set of buffers.
const cells: ValueSet[] = [];
const registers: ValueSet[] = [];
const empty = new ValueSet();
const wrongType = new ValueSet();
wrongType.fail(PM_ERR.TYPE);

/**
 * Compute one derived metric: fill `into`, whose PMID is kept, with its values or its error code, and move its history on.
 * The operands are only read. Never throws for what the values are.
 * @see pmFetch(3), pmRegisterDerived(3)
 */
export function evaluate(program: Program, inputs: EvaluationInputs, history: History, into: ValueSet): void {
  const answered = history.answerOf(inputs.sequence);
  if (answered) {
    if (answered !== into) answer(answered, program, into);
    return;
  }
  const { operandTypes, steps, result } = program;
  const { trace } = inputs;
  trace?.begin(inputs.timestamp, history);
  cells[NO_CELL] = empty;
  let cell = NO_CELL + 1;
  for (let i = 0; i < operandTypes.length; i++) {
    const operand = inputs.operands[i]!;
    const checked = operand.status > 0 && operand.type !== operandTypes[i] ? wrongType : operand;
    trace?.keep(cell, checked);
    cells[cell++] = checked;
  }
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i]!;
    const out = cell === result ? into : (registers[step.register] ??= new ValueSet());
    out.reset(out.pmid, step.type);
    if (!step.kernel) {
      if (step.value !== undefined) out.add(INSTANCE_NULL, step.value);
      trace?.keep(cell, out);
      cells[cell++] = out;
      continue;
    }
    const a = cells[step.a]!;
    const b = cells[step.b]!;
    const c = cells[step.c]!;
    const status = Math.min(a.status, 0) || Math.min(b.status, 0) || Math.min(c.status, 0);
    if (status === 0 || step.seesErrors) step.kernel(out, a, b, c, inputs, history);
    else out.fail(status);
    trace?.keep(cell, out);
    cells[cell++] = out;
  }
  if (cells[result] !== into) answer(cells[result]!, program, into);
  history.noteAnswer(inputs.sequence, into);
}

function answer(values: ValueSet, program: Program, into: ValueSet): void {
  into.reset(into.pmid, program.meta.type);
  if (values.status < 0) into.fail(values.status);
  for (let i = 0; i < values.status; i++) into.addFrom(values, i);
}

/**
 * The instance domains whose listings must be fetched again before a program is evaluated: those whose listing, as `instances`
 * gives it, is absent or lacks an instance that an operand has a value for (its name would be missing from the sample in which it
 * appears), and those that a constant spans, at every sample.
 */
export function outdatedIndoms(
  program: Program,
  operands: readonly ValueSet[],
  instances: (indom: number) => InstanceDomain | undefined,
): number[] {
  return program.indoms.filter((indom) => {
    const domain = instances(indom);
    if (!domain || program.constantIndoms.includes(indom)) return true;
    const names = instanceNames(domain);
    return operands.some((operand, i) => program.operandIndoms[i] === indom && hasUnnamed(operand, names));
  });
}

function hasUnnamed(values: ValueSet, names: ReadonlyMap<number, string>): boolean {
  for (let i = 0; i < values.status; i++) if (!names.has(values.instances[i]!)) return true;
  return false;
}

/** Copies of the values of all cells of one evaluation, and of the previous samples of delta() and rate(). */
export class EvaluationTrace {
  timestamp: Timestamp | undefined;
  previous: readonly (PreviousSample | undefined)[] = [];
  readonly #cells: ValueSet[] = [];

  cell(cell: number): ValueSet | undefined {
    return this.#cells[cell];
  }

  begin(timestamp: Timestamp, { samples }: History): void {
    this.timestamp = timestamp;
    this.previous = samples.map((sample) => sample && { timestamp: sample.timestamp, values: sample.values.copy() });
  }

  keep(cell: number, values: ValueSet): void {
    this.#cells[cell] = values.copy();
  }
}
