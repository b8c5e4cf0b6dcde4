import { bounded } from './text.js';

/** Bytes of the items of one answer, in both forms: with head and notes it stays below 800 tokens. */
const ITEM_BYTES = 2200;
const MOST_NOTES = 3;
const NOTE_LENGTH = 240;

/** A call of a tool. */
export interface ToolCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** One thing that an answer tells: as a line, and as data. */
export interface Item {
  readonly line: string;
  readonly data: object;
}

/** What a tool found, before it is cut to the size of an answer. */
export interface Report {
  /** One line that says what it is about. */
  readonly head: string;
  readonly items: readonly Item[];
  /** How many there are in all, where the gateway listed only some. */
  readonly total?: number;
  /** Whether the caller said how many: then no narrower call is needed for what the gateway did not list. */
  readonly isLimited?: boolean;
  /** Warnings, and what else is to be known. */
  readonly notes?: readonly string[];
  /** The narrower call for what is left out; called with the number of items that fit. */
  readonly narrower?: (shown: number) => ToolCall;
  /** Where a person sees the same. */
  readonly address?: string | undefined;
}

/** The result of a call of a tool, as the protocol has it. */
export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  readonly [member: string]: unknown;
}

/** The answer of a tool: as many items as fit, and the call for the rest. */
export function resultOf(report: Report): ToolResult {
  const { head, items, notes = [], narrower, address, isLimited } = report;
  const shown = items.slice(0, countThatFits(items));
  const total = Math.max(report.total ?? 0, items.length);
  const isCut = shown.length < total;
  const isAsAsked = isLimited === true && shown.length === items.length;
  const next = isCut && !isAsAsked ? narrower?.(Math.max(1, shown.length)) : undefined;
  const lines = [head, ...shown.map(({ line }) => line)];
  for (const note of notes.slice(0, MOST_NOTES)) lines.push(`Note: ${bounded(note, NOTE_LENGTH)}`);
  if (isCut) {
    const call = next ? `; narrower: ${next.tool} ${JSON.stringify(next.arguments)}` : ', as asked';
    lines.push(`Cut: ${shown.length} of ${total} shown${call}`);
  }
  if (address !== undefined) lines.push(`See: ${address}`);
  return {
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: {
      items: shown.map(({ data }) => data),
      ...(isCut ? { total, ...(next ? { next } : {}) } : {}),
      ...(address === undefined ? {} : { address }),
    },
  };
}

/** The answer for a call that failed. */
export function failureOf(code: string, message: string, hint = ''): ToolResult {
  const text = `${code}: ${JSON.stringify(bounded(message, 400))}${hint}`;
  return { content: [{ type: 'text', text }], isError: true };
}

function countThatFits(items: readonly Item[]): number {
  let bytes = 0;
  for (const [i, { line, data }] of items.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(line)) + Buffer.byteLength(JSON.stringify(data));
    if (bytes > ITEM_BYTES && i > 0) return i;
  }
  return items.length;
}

/** Warnings of the gateway as notes. */
export function notesOf(warnings: readonly { readonly message: string; readonly name?: string }[] = []): string[] {
  return warnings.map(({ name, message }) =>
    JSON.stringify(bounded(name === undefined ? message : `${name}: ${message}`, 200)),
  );
}
