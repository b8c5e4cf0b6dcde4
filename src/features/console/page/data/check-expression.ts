import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { DerivedCheck, DerivedEntry, DerivedFunction, WhoamiAnswer } from '../../../../client/index.js';
import type { Definition } from '../state/url-state.js';
import { client } from './gateway.js';

/** The result of checking an expression. */
export type Check = DerivedCheck;
/** A node of its tree. */
export type CheckNode = NonNullable<DerivedCheck['tree']>;

const functions = signal<readonly DerivedFunction[]>([]);
const entries = signal<readonly DerivedEntry[]>([]);
const granted = signal<WhoamiAnswer['permissions'] | undefined>(undefined);
let [hasFunctions, hasEntries, hasGranted] = [false, false, false];

/** The functions of expressions; empty until loaded. */
export function derivedFunctions(): Signal<readonly DerivedFunction[]> {
  if (!hasFunctions) {
    hasFunctions = true;
    client.derived.functions().then(
      (found) => (functions.value = found),
      () => (hasFunctions = false),
    );
  }
  return functions;
}

/** What the client may do; undefined until known. */
export function permissions(): Signal<WhoamiAnswer['permissions'] | undefined> {
  if (!hasGranted) {
    hasGranted = true;
    client.whoami().then(
      (found) => (granted.value = found.permissions),
      () => (hasGranted = false),
    );
  }
  return granted;
}

/** Request again what the client may do, after it signed in or out. */
export function askPermissionsAgain(): void {
  hasGranted = false;
  granted.value = undefined;
}

/** The global derived metrics. */
export function listDerived(): Signal<readonly DerivedEntry[]>;
/** The same, requested again. */
export function listDerived(again: 'again'): Promise<void>;
export function listDerived(again?: 'again'): Signal<readonly DerivedEntry[]> | Promise<void> {
  if (again === undefined && hasEntries) return entries;
  hasEntries = true;
  const asked = client.derived.list().then(
    (found) => void (entries.value = found),
    () => void (hasEntries = false),
  );
  return again === undefined ? entries : asked;
}

/** A part of an expression that has values of its own. */
export interface ExpressionPart {
  readonly depth: number;
  readonly node: CheckNode;
  /** A derived metric of this part alone; undefined for constants, and for parts that are never evaluated. */
  readonly definition: Definition | undefined;
}

const VALUELESS: ReadonlySet<string> = new Set(['integer', 'double', 'mkconst', 'novalue']);
const MOST_PARTS = 30;

/** The parts of an expression, each before the parts that it consists of. */
export function partsOf({ tree, expression }: Pick<Check, 'tree' | 'expression'>): readonly ExpressionPart[] {
  const parts: ExpressionPart[] = [];
  const visit = (node: CheckNode, depth: number): void => {
    if (parts.length >= MOST_PARTS) return;
    const hasValues = node.selected && node.metadata !== undefined && !VALUELESS.has(node.kind);
    const text = node.text.includes('…') ? expression.slice(node.start, node.end) : node.text;
    const name = `pmgate_part.p${parts.length}`;
    parts.push({ depth, node, definition: hasValues ? { name, expression: text } : undefined });
    for (const child of node.children) visit(child, depth + 1);
  };
  if (tree) visit(tree, 0);
  return parts;
}
