import type { DataOf, Schemas } from '../../client/index.js';
import {
  INDOM_NULL,
  drawCaret,
  formatIndom,
  formatMetricType,
  formatPmid,
  formatSemantics,
  formatUnits,
  locate,
} from '../../pmapi/index.js';
import type { MetricDescriptor } from '../../pmapi/index.js';
import { childrenOf, operatorOf, type AnyExpression, type Expression } from '../language/ast.js';
import { parseExpression } from '../language/parse.js';
import { printExpression } from '../language/print.js';
import type { SyntaxFault } from '../language/syntax-diagnostics.js';
import { bindExpression, operandNames } from '../semantics/bind.js';
import type { BindingEnvironment, BoundExpression, BoundNode, NodeMetadata } from '../semantics/bound-expression.js';
import type { SemanticError } from '../semantics/semantic-error.js';
import { repairSemantics, repairSyntax } from './repairs.js';

/** Metadata in print: `DOUBLE`, `instant`, `Kbyte / sec`, `60.1` (null for a singular node). */
export type CheckedMetadata = DataOf<Schemas['CheckedMetadata']>;
export type CheckedNode = DataOf<Schemas['CheckedNode']>;
export type CheckedOperand = DataOf<Schemas['CheckedOperand']>;
export type CheckProblem = DataOf<Schemas['CheckProblem']>;

/** The result of a dry run: plain data, serialised as it is. `errors` are the first 32, with repairs for the first 8. */
export type CheckReport = DataOf<Omit<Schemas['DerivedCheck'], 'context' | 'client' | 'sample'>>;

/** A context for the check; without `environment` only the syntax is checked. */
export interface CheckOptions {
  readonly environment?: BindingEnvironment;
  readonly candidates?: readonly string[];
  readonly definitionOf?: (name: string) => string | undefined;
}

/** The parts of an expression that bind. */
export interface BoundParts extends Pick<BoundExpression, 'operands' | 'slots'> {
  readonly expression: Expression;
  readonly nodes: ReadonlyMap<AnyExpression, BoundNode>;
}

/** Each error repeats the line at fault: hundreds must not fill megabytes. */
const ERRORS_SHOWN = 32;
/** Limit of searches for the name that was meant: each compares with thousands. */
const REPAIRS_SOUGHT = 8;

/** Checks an expression whose `operandNames` were looked up for `environment`. Returns a report, and what can be evaluated. */
export function checkExpression(
  text: string,
  options: CheckOptions = {},
): { readonly report: CheckReport; readonly parts?: BoundParts } {
  const parsed = parseExpression(text);
  if (!parsed.ok) {
    return { report: { ok: false, expression: text, operands: [], errors: [syntaxProblem(text, parsed.fault)] } };
  }
  const { expression } = parsed;
  const nodes = new Map<AnyExpression, BoundNode>();
  const dropped = new Set<AnyExpression>();
  const result =
    options.environment &&
    bindExpression(expression, options.environment, {
      allErrors: true,
      onNode: (node, own) => nodes.set(node, own),
      onDropped: (node) => dropped.add(node),
    });
  const errors = result && !result.ok ? result.errors : [];
  const repairContext = {
    text,
    expression,
    nodes,
    candidates: options.candidates ?? [],
    definitionOf: options.definitionOf ?? (() => undefined),
  };
  const bound = result?.ok === true ? result.bound : undefined;
  const report: CheckReport = {
    ok: errors.length === 0,
    expression: text,
    canonical: printExpression(expression),
    parenthesised: printExpression(expression, { parenthesise: true }),
    tree: describeNode(expression, nodes, dropped),
    operands: describeOperands(expression, options.environment, bound),
    ...(bound && { metadata: describeMetadata(bound.root.meta) }),
    errors: errors.slice(0, ERRORS_SHOWN).map((error, i) => {
      const repair = i < REPAIRS_SOUGHT ? repairSemantics(error, repairContext) : undefined;
      return { ...semanticProblem(text, error), ...(repair && { repair }) };
    }),
  };
  if (!result) return { report };
  const { operands, slots } = result.ok ? result.bound : result.parts;
  return { report, parts: { expression, nodes, operands, slots } };
}

export function describeNode(
  node: AnyExpression,
  nodes: ReadonlyMap<AnyExpression, BoundNode>,
  dropped: ReadonlySet<AnyExpression>,
  parentSelected = true,
): CheckedNode {
  const meta = nodes.get(node)?.meta;
  const operator = operatorOf(node);
  const selected = parentSelected && !dropped.has(node);
  return {
    kind: node.kind,
    ...(operator !== undefined && { operator }),
    text: node.end - node.start > TEXT_MAX ? '…' : printExpression(node),
    start: node.start,
    end: node.end,
    ...(meta && { metadata: describeMetadata(meta) }),
    selected,
    children: childrenOf(node).map((child) => describeNode(child, nodes, dropped, selected)),
  };
}

/** Longer texts of nodes are left out: every node above would repeat them. */
const TEXT_MAX = 300;

function describeOperands(
  expression: Expression,
  environment: BindingEnvironment | undefined,
  bound: BoundExpression | undefined,
): CheckedOperand[] {
  const needed = new Set(bound?.operands.map(({ descriptor }) => descriptor.pmid));
  return operandNames(expression).metrics.map((name) => {
    const descriptor = environment?.operand(name).descriptor;
    if (!descriptor) return { name, known: false, needed: false };
    return {
      name,
      known: true,
      pmid: formatPmid(descriptor.pmid),
      metadata: describeMetadata(descriptor),
      needed: needed.has(descriptor.pmid),
    };
  });
}

export function describeMetadata({ type, semantics, units, indom }: NodeMetadata | MetricDescriptor): CheckedMetadata {
  return {
    type: formatMetricType(type),
    semantics: formatSemantics(semantics),
    units: formatUnits(units),
    indom: indom === INDOM_NULL ? null : formatIndom(indom),
  };
}

function syntaxProblem(text: string, fault: SyntaxFault): CheckProblem {
  const { start, end } = fault.range;
  const expected = fault.expected.length > 0 ? ` Expected ${fault.expected.join(' or ')}.` : '';
  const repair = repairSyntax(text, fault);
  const reason = fault.reason ?? 'syntax error';
  return {
    phase: 'syntax',
    code: 'syntax',
    reason,
    explanation: `${reason}: found ${fault.found}.${expected}`,
    position: locate(text, start, end),
    excerpt: drawCaret(text, start),
    found: fault.found,
    expected: fault.expected,
    ...(repair && { repair }),
  };
}

function semanticProblem(text: string, error: SemanticError): CheckProblem {
  const { range, ...told } = error;
  const { start, end } = range;
  return { phase: 'semantic', ...told, position: locate(text, start, end), excerpt: drawCaret(text, start) };
}
