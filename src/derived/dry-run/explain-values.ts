/** The values of every node in one evaluation, and the nodes that lost missing ones: for `why` and the dry run. */
import { formatPmErr, INDOM_NULL, INSTANCE_NULL, secondsBetween, type ValueSet } from '../../pmapi/index.js';
import { treeOf, type DerivedDefinition } from '../definition.js';
import type { EvaluationTrace } from '../evaluation/evaluate.js';
import type { PreviousSample } from '../evaluation/history.js';
import { compileProgram, type Program } from '../evaluation/program.js';
import { childrenOf, type AnyExpression } from '../language/ast.js';
import { bindExpression } from '../semantics/bind.js';
import type {
  BindingEnvironment,
  BoundDelta,
  BoundNode,
  BoundRate,
  NodeMetadata,
} from '../semantics/bound-expression.js';
import { describeNode, type BoundParts, type CheckedNode } from './check.js';

/** A value that is missing, and where it was lost. */
export interface LostValue {
  /** Undefined if no value exists at all. */
  readonly instance: number | undefined;
  /** The text of the node, as in its {@link CheckedNode}. */
  readonly node: string;
  /** A sentence without a full stop. */
  readonly reason: string;
}

/** A node with its values in one evaluation. */
export interface ExplainedNode {
  readonly node: CheckedNode;
  /** Undefined for a node that was not evaluated: dropped or decided by a static guard, or the name in defined(). */
  readonly values: ValueSet | undefined;
  readonly meta: NodeMetadata | undefined;
  readonly pmid: number | undefined;
  /** For delta() and rate(): the operand's previous sample, and the seconds between; undefined at the first. */
  readonly previous: (PreviousSample & { readonly elapsedSec: number }) | undefined;
  readonly children: readonly ExplainedNode[];
  /** Missing values, computed when read. */
  readonly lost: readonly LostValue[];
}

export type InstanceNamer = (indom: number, instance: number) => string | undefined;

const LOSSES_TOLD = 100;

/** Explains one evaluation of a definition; undefined if its operands are described otherwise by now. */
export function explainValues(
  definition: DerivedDefinition,
  environment: BindingEnvironment,
  { program, trace }: { readonly program: Program; readonly trace: EvaluationTrace },
  nameOf: InstanceNamer,
): ExplainedNode | undefined {
  const tree = treeOf(definition);
  const nodes = new Map<AnyExpression, BoundNode>();
  const dropped = new Set<AnyExpression>();
  const result = bindExpression(tree, environment, {
    onNode: (node, bound) => nodes.set(node, bound),
    onDropped: (node) => dropped.add(node),
  });
  if (!result.ok) return undefined;
  const cells = new Map<BoundNode, number>();
  const compiled = compileProgram(result.bound, (node, cell) => cells.set(node, cell));
  if (compiled.steps.length !== program.steps.length || compiled.result !== program.result) return undefined;
  const parts = { ...result.bound, expression: tree, nodes, cells, trace, nameOf };
  return explainNode(parts, tree, describeNode(tree, nodes, dropped));
}

/** The parts of an expression, evaluated together. */
export class EvaluableParts {
  readonly program: Program;
  /** The parts, each once. */
  readonly nodes: readonly BoundNode[];
  /** Places of operands whose previous sample delta() and rate() need; undefined without any. */
  readonly rated: ReadonlySet<number> | undefined;
  readonly #parts: BoundParts;
  readonly #cells = new Map<BoundNode, number>();

  constructor(parts: BoundParts, [root, ...beside]: readonly [BoundNode, ...BoundNode[]]) {
    this.#parts = parts;
    this.program = compileProgram({ ...parts, root }, (node, cell) => this.#cells.set(node, cell), beside);
    this.nodes = [...this.#cells.keys()];
    this.rated = ratedOperands(parts);
  }

  explain(tree: CheckedNode, trace: EvaluationTrace, nameOf: InstanceNamer): ExplainedNode {
    const parts = { ...this.#parts, cells: this.#cells, trace, nameOf };
    return explainNode(parts, parts.expression, tree);
  }
}

/** Compiles the parts that bind; undefined if none does. */
export function compileParts(parts: BoundParts): EvaluableParts | undefined {
  const [first, ...others] = outermostNodes(parts);
  return first && new EvaluableParts(parts, [first, ...others]);
}

/** The nodes in no other bound node: the root alone, unless it does not bind or its guard is decided. */
function outermostNodes({ expression, nodes }: BoundParts): BoundNode[] {
  const found: BoundNode[] = [];
  const visit = (node: AnyExpression, isInside: boolean): void => {
    const bound = nodes.get(node);
    if (bound && !isInside) found.push(bound);
    const children = childrenOf(node);
    const arm = bound && selectedArm(children, bound, nodes);
    for (const child of children) visit(child, bound !== undefined && (arm === undefined || child === arm));
  };
  visit(expression, false);
  return found;
}

/** A ternary with a static guard is the arm that it selects. */
function selectedArm(
  children: readonly AnyExpression[],
  bound: BoundNode,
  nodes: BoundParts['nodes'],
): AnyExpression | undefined {
  return children.find((child) => nodes.get(child) === bound);
}

function ratedOperands({ expression, nodes }: BoundParts): ReadonlySet<number> | undefined {
  let rated: Set<number> | undefined;
  const visit = (node: AnyExpression, isRated: boolean): void => {
    const bound = nodes.get(node);
    const rates = isRated || bound?.kind === 'delta' || bound?.kind === 'rate';
    if (rates) rated ??= new Set();
    if (rates && bound?.kind === 'operand') rated!.add(bound.operand);
    for (const child of childrenOf(node)) visit(child, rates);
  };
  visit(expression, false);
  return rated;
}

interface ExplainerParts extends BoundParts {
  readonly cells: ReadonlyMap<BoundNode, number>;
  readonly trace: EvaluationTrace;
  readonly nameOf: InstanceNamer;
}

function explainNode(given: ExplainerParts, root: AnyExpression, checked: CheckedNode): ExplainedNode {
  return explain(root, checked);

  function explain(tree: AnyExpression, node: CheckedNode): ExplainedNode {
    const { nodes, operands, cells, trace } = given;
    const parts = childrenOf(tree);
    const children = parts.map((child, i) => explain(child, node.children[i]!));
    const bound = nodes.get(tree);
    const cell = bound && cells.get(bound);
    const values = cell === undefined ? undefined : trace.cell(cell);
    const pmid = bound?.kind === 'operand' ? operands[bound.operand]?.descriptor.pmid : undefined;
    const explained = {
      node,
      values,
      meta: values && bound?.meta,
      pmid: tree.kind === 'name' ? pmid : undefined,
      previous: bound?.kind === 'delta' || bound?.kind === 'rate' ? previousOf(bound) : undefined,
      children,
      lost: [],
    };
    if (!bound || !values) return explained;
    const arm = selectedArm(parts, bound, nodes);
    const find = (): readonly LostValue[] =>
      arm ? children[parts.indexOf(arm)]!.lost : lossesOf(bound, explained).slice(0, LOSSES_TOLD);
    let lost: readonly LostValue[] | undefined;
    return {
      ...explained,
      get lost() {
        return (lost ??= find());
      },
    };
  }

  function previousOf({ slot }: BoundDelta | BoundRate): ExplainedNode['previous'] {
    const { previous, timestamp } = given.trace;
    const before = previous[slot];
    return before && timestamp && { ...before, elapsedSec: secondsBetween(timestamp, before.timestamp) };
  }

  function lossesOf(bound: BoundNode, explained: ExplainedNode): readonly LostValue[] {
    const { values, children, node } = explained;
    const lose = (reason: string, instance?: number): LostValue => ({ instance, node: node.text, reason });
    const inherited = children.flatMap(({ lost }) => lost);
    const { status } = values!;
    const isEmpty = status <= 0;
    const whole = inherited.filter(({ instance }) => instance === undefined);
    switch (bound.kind) {
      case 'constant':
        return isEmpty ? [lose(`${node.text} has no instances at this moment`)] : [];
      case 'novalue':
        return [lose(`${node.text} never has a value`)];
      case 'operand':
        if (status < 0) return [lose(`${node.text}: ${formatPmErr(status)}`)];
        return isEmpty ? [lose(`${node.text} has no value at this moment`)] : [];
      case 'aggregate':
        return isEmpty ? inherited : [];
      case 'select-instance':
        if (!isEmpty) return [];
        return whole.length > 0
          ? whole
          : [lose(`instance ${bound.instance} is not in ${children[0]?.node.text ?? 'the operand'}`)];
      case 'match-instances':
        if (!isEmpty || whole.length > 0) return inherited;
        return [lose(`no instance of ${children[0]?.node.text ?? 'the operand'} matches`)];
      case 'delta':
      case 'rate':
        return whole.length > 0 ? whole : [...inherited, ...lossesInTime(bound, explained, lose)];
      default:
        if (whole.length > 0 && isEmpty) return whole;
        if (status < 0) return [lose(`${node.text}: ${formatPmErr(status)}`)];
        return lossesAmong(bound, explained, lose);
    }
  }

  function lossesInTime(
    { kind, operand }: BoundDelta | BoundRate,
    { values, previous, children }: ExplainedNode,
    lose: (reason: string, instance?: number) => LostValue,
  ): readonly LostValue[] {
    if (!previous) return [lose(`${kind}() needs a second sample`)];
    const { status } = previous.values;
    if (status < 0)
      return [lose(`${kind}() needs two samples, and the one before had an error: ${formatPmErr(status)}`)];
    const now = children[0]?.values;
    if (!now) return [];
    const [has, had] = [placesIn(values!), placesIn(previous.values)];
    const { indom } = operand.meta;
    const losses: LostValue[] = [];
    for (const [instance, i] of placesIn(now)) {
      if (losses.length >= LOSSES_TOLD) break;
      if (has.has(instance)) continue;
      const j = had.get(instance);
      const of = instance === INSTANCE_NULL ? '' : ` of ${called(indom, instance)}`;
      const reason =
        j === undefined
          ? `${kind}() needs a second sample${of}`
          : `the counter${of} went down from ${textOf(previous.values, j)} to ${textOf(now, i)}`;
      losses.push(lose(reason, instance === INSTANCE_NULL ? undefined : instance));
    }
    return losses;
  }

  /** Instances that some operands of a node have, but the node has not. */
  function lossesAmong(
    bound: BoundNode,
    { values, children }: ExplainedNode,
    lose: (reason: string, instance?: number) => LostValue,
  ): readonly LostValue[] {
    const has = placesIn(values!);
    const known = new Map<number | undefined, LostValue>();
    const operands = children.filter((child) => child.values && child.meta);
    for (const { lost } of operands) {
      for (const loss of lost) if (!has.has(loss.instance ?? INSTANCE_NULL)) known.set(loss.instance, loss);
    }
    const sets = operands
      .filter(({ meta }) => meta!.indom !== INDOM_NULL)
      .map(({ node, meta, values: held }) => ({ node, meta, places: placesIn(held!) }));
    for (const { places, meta } of sets) {
      for (const instance of places.keys()) {
        if (known.size >= LOSSES_TOLD) break;
        if (has.has(instance) || known.has(instance)) continue;
        const lacking = sets.find((other) => !other.places.has(instance) && other.node.kind !== 'novalue');
        const its = called(meta!.indom, instance);
        const isUnselected = bound.kind === 'ternary' && !lacking;
        const reason = isUnselected
          ? `the guard selects no value for ${its}`
          : `${its} is not in ${lacking?.node.text ?? 'the result'}`;
        known.set(instance, lose(reason, instance));
      }
    }
    if (values!.status === 0 && known.size === 0) known.set(undefined, lose('the guard selects no value'));
    return [...known.values()];
  }

  function called(indom: number, instance: number): string {
    if (instance === INSTANCE_NULL) return '';
    return `instance ${given.nameOf(indom, instance) ?? instance}`;
  }
}

function placesIn({ status, instances }: ValueSet): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  for (let i = 0; i < status; i++) places.set(instances[i]!, i);
  return places;
}

function textOf({ column }: ValueSet, i: number): string {
  return column.wide ? String(column.integerAt(i)) : String(column.numbers[i]);
}
