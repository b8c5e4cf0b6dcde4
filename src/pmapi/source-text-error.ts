import { GatewayError } from './errors.js';
import type { ErrorCode, ErrorDetails, TextPosition } from './errors.js';

/** Where in which text an error lies, and what else there is to tell about it. */
export interface SourceTextDetails extends Omit<ErrorDetails, 'position'> {
  /** The whole text that was read. */
  readonly source: string;
  /** Where the offending part begins, in UTF-16 units from 0; `source.length` is the end of the text. */
  readonly offset: number;
  /** Where it ends (exclusive). Without it, the error points at one place. */
  readonly end?: number;
}

/**
 * A text from outside (an expression, an interval, a time, a units string) is wrong at a known place.
 *
 * It is a GatewayError whose `details.position` tells the place. Line and column are worked out when somebody asks.
 */
export class SourceTextError extends GatewayError {
  readonly source: string;
  readonly offset: number;
  readonly end: number;

  constructor(code: ErrorCode, message: string, where: SourceTextDetails, options?: ErrorOptions) {
    const { source, offset: wantedOffset, end: wantedEnd, ...others } = where;
    const offset = clamp(wantedOffset, 0, source.length);
    const end = clamp(wantedEnd ?? offset, offset, source.length);
    const details = {
      ...others,
      get position(): TextPosition {
        return locate(source, offset, end);
      },
    };
    super(code, message, details, options);
    this.name = 'SourceTextError';
    this.source = source;
    this.offset = offset;
    this.end = end;
  }

  /** The place of the error, with line and column from 1. */
  get position(): TextPosition {
    return locate(this.source, this.offset, this.end);
  }

  /** The line at fault with a caret below it, as {@link drawCaret} does. */
  get excerpt(): string {
    return drawCaret(this.source, this.offset);
  }

  /** The message, then the line at fault with a caret below the place. */
  override toString(): string {
    return `${this.name}: ${this.message}\n${this.excerpt}`;
  }

  /** The wire form: `message`, `code`, and every detail, `position` among them. */
  toJSON(): Readonly<Record<string, unknown>> {
    return { message: this.message, code: this.code, ...this.details };
  }
}

/** Line and column (from 1) of a place in a text. Lines end in LF, CR LF or CR. */
export function locate(source: string, offset: number, end?: number): TextPosition {
  let line = 1;
  let lineStart = 0;
  for (const ending of source.matchAll(/\r\n|\n|\r/g)) {
    const next = ending.index + ending[0].length;
    if (next > offset) break;
    line++;
    lineStart = next;
  }
  const column = offset - lineStart + 1;
  return end === undefined || end === offset ? { offset, line, column } : { offset, end, line, column };
}

/**
 * Two lines without a final newline: the line of `source` that holds `offset`, and a caret below that place. Tabs are kept
 * in the second line, so that the caret stands right whatever the width of a tab.
 */
export function drawCaret(source: string, offset: number): string {
  const { column } = locate(source, offset);
  const lineStart = offset - column + 1;
  const line = /^[^\r\n]*/.exec(source.slice(lineStart))![0];
  const indent = source.slice(lineStart, offset).replace(/[^\t]/gu, ' ');
  return `${line}\n${indent}^`;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
