import { signal, type Signal } from '@preact/signals';
import type { DerivedCheck, DerivedEntry, DerivedFunction, WhoamiAnswer } from '../../../../client/index.js';
import type { Definition } from '../state/url-state.js';
import { client, isHere, localClient } from './gateway.js';

/** A node of its tree. */
export type CheckNode = NonNullable<DerivedCheck['tree']>;

/** Something that is asked for at first use, of what answers about a source, and again when it is said or when that failed. */
function askedOnce<T>(none: T, ask: (of: typeof client) => Promise<T>) {
  const [far, here] = [client, localClient].map((of) => ({ of, answer: signal(none), isAsked: false }));
  const again = (source = ''): Promise<void> => {
    const own = (isHere(source) ? here : far)!;
    own.isAsked = true;
    return ask(own.of).then(
      (found) => void (own.answer.value = found),
      () => void (own.isAsked = false),
    );
  };
  const get = (source = ''): Signal<T> => {
    const { answer, isAsked } = (isHere(source) ? here : far)!;
    if (!isAsked) void again(source);
    return answer;
  };
  return { get, again };
}

/** The functions of expressions; empty until loaded. */
export const { get: derivedFunctions } = askedOnce<readonly DerivedFunction[]>([], (of) => of.derived.functions());
/** Who the client is and what it may do, undefined until known; to be asked again after it signed in or out. */
export const { get: whoami, again: askWhoamiAgain } = askedOnce<WhoamiAnswer | undefined>(undefined, (of) =>
  of.whoami(),
);
/** The global derived metrics. */
export const { get: listDerived, again: listDerivedAgain } = askedOnce<readonly DerivedEntry[]>([], (of) =>
  of.derived.list(),
);

/** A part of an expression that has values of its own. */
export interface ExpressionPart {
  readonly depth: number;
  readonly node: CheckNode;
  /** A derived metric of this part alone; undefined for constants, and for parts that are never evaluated. */
  readonly definition: Definition | undefined;
}

const VALUELESS: ReadonlySet<string> = new Set(['integer', 'double', 'mkconst', 'novalue']);

/** The parts of an expression, each before the parts that it consists of. */
export function partsOf({ tree, expression }: Pick<DerivedCheck, 'tree' | 'expression'>): readonly ExpressionPart[] {
  const parts: ExpressionPart[] = [];
  const visit = (node: CheckNode, depth: number): void => {
    if (parts.length >= 30) return;
    const hasValues = node.selected && node.metadata !== undefined && !VALUELESS.has(node.kind);
    const text = node.text.includes('…') ? expression.slice(node.start, node.end) : node.text;
    const name = `pmgate_part.p${parts.length}`;
    parts.push({ depth, node, definition: hasValues ? { name, expression: text } : undefined });
    for (const child of node.children) visit(child, depth + 1);
  };
  if (tree) visit(tree, 0);
  return parts;
}
