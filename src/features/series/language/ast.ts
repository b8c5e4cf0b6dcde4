/** The tree of a query. Windows are in {@link ParsedQuery}. @see pmseries(1) */

type Node<Kind extends string, Parts> = { readonly kind: Kind } & Readonly<Parts>;

/** The right side of a comparison; `text` is without quotes, numbers are as written. */
export type Comparand = Node<'text' | 'number', { text: string }>;

/** The left side of a condition: names of instances, metrics or archives, or the label of a name. */
export type Subject =
  { readonly kind: 'instance' | 'metric' | 'context' } | { readonly kind: 'label'; readonly label: string };

/** `~~` is a glob, `=~` and `!~` are POSIX extended regular expressions. */
export type Relation = '==' | '!=' | '~~' | '=~' | '!~' | '<' | '<=' | '>' | '>=';

export type Comparison = Node<'comparison', { subject: Subject; relation: Relation; comparand: Comparand }>;

/** Comparisons joined from left to right. */
export type Junction = Node<'&&' | '||', { left: Condition; right: Condition }>;

export type Condition = Comparison | Junction;

/** Series selected by name, by a condition, or by both. */
export interface Operand {
  readonly kind: 'operand';
  /** A metric's full name; with a `*` in it a glob. Absent: every metric. */
  readonly name?: string;
  readonly condition?: Condition;
}

const FOLDS = ['avg', 'max', 'min', 'sum'] as const;

/** Functions of one argument. */
export const PLAIN_FUNCTIONS = [
  ...(['abs', 'floor', 'rate', 'round', 'sqrt', ...FOLDS] as const),
  ...[...FOLDS, 'stdev' as const].flatMap((fold) => [`${fold}_inst`, `${fold}_sample`] as const),
];
export type PlainFunction = (typeof PLAIN_FUNCTIONS)[number];

/** Functions whose second argument is an integer. */
export const RANKING_FUNCTIONS = ['nth_percentile_inst', 'nth_percentile_sample', 'topk_inst', 'topk_sample'] as const;
export type RankingFunction = (typeof RANKING_FUNCTIONS)[number];

/** A call; the second argument is a number, the text of units, or absent. */
export type Call =
  | Node<'call', { name: PlainFunction; argument: Expression }>
  | Node<'call', { name: RankingFunction; argument: Expression; count: number }>
  | Node<'call', { name: 'rescale'; argument: Expression; units: string }>
  | Node<'call', { name: 'log'; argument: Expression; base?: string }>;

/** Two series, sample by sample. */
export type Arithmetic = Node<'arithmetic', { operator: '+' | '-' | '*' | '/'; left: Expression; right: Expression }>;

/** Every value of the series times a number, which is kept as written. */
export type Scaling = Node<'scaling', { factor: string; operand: Expression }>;

export type Expression = Operand | Call | Arithmetic | Scaling;

export function inputsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'operand':
      return [];
    case 'call':
      return [expression.argument];
    case 'scaling':
      return [expression.operand];
    case 'arithmetic':
      return [expression.left, expression.right];
  }
}

/** The operands of an expression, from left to right. */
export function operandsOf(expression: Expression): readonly Operand[] {
  return expression.kind === 'operand' ? [expression] : inputsOf(expression).flatMap(operandsOf);
}

/** A window as written between brackets, or as the parameters of a request say. Absent: not given. `range`, as in `[5min]`: from so long ago until now. */
export type WindowText = {
  readonly [Word in 'range' | 'samples' | 'interval' | 'start' | 'finish' | 'align' | 'offset' | 'zone']?: string;
};

export interface ParsedQuery {
  readonly expression: Expression;
  /** Absent: no operand has brackets. */
  readonly window?: WindowText;
}
