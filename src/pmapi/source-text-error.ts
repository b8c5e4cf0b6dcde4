import { GatewayError, type ErrorCode, type ErrorDetails, type TextPosition } from './errors.js';

/** The location of an error in a text, and other details. */
export interface SourceTextDetails extends Omit<ErrorDetails, 'position'> {
  readonly source: string;
  /** The start of the offending part, in UTF-16 units from 0; `source.length` is the end of the text. */
  readonly offset: number;
  /** Its end (exclusive). Without it, the error is at one position. */
  readonly end?: number;
}

/** An error at a known position of an external text. Line and column are computed on demand. */
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

  get position(): TextPosition {
    return locate(this.source, this.offset, this.end);
  }

  get excerpt(): string {
    return drawCaret(this.source, this.offset);
  }

  override toString(): string {
    return `${this.name}: ${this.message}\n${this.excerpt}`;
  }

  toJSON(): Readonly<Record<string, unknown>> {
    return { message: this.message, code: this.code, ...this.details };
  }
}

/** Line and column (from 1) of an offset in a text. Lines end in LF, CR LF or CR. */
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

/** The line of `source` with `offset`, and a caret line below it (tabs kept), without a final newline. */
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

/** Runs a parser on the text of a parameter; its errors name the parameter. */
export function parseInParameter<T>(parameter: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof SourceTextError) throw inParameter(parameter, error);
    if (!(error instanceof GatewayError)) throw error;
    const details = { ...error.details, parameter };
    throw new GatewayError(error.code, `${parameter}: ${error.message}`, details, { cause: error });
  }
}

/** The same error, with the parameter whose text it is in. */
export function inParameter(parameter: string, error: SourceTextError): SourceTextError {
  const { source, offset, end } = error;
  const { expected, pmErr } = error.details;
  const where = {
    source,
    offset,
    end,
    parameter,
    ...(expected === undefined ? {} : { expected }),
    ...(pmErr === undefined ? {} : { pmErr }),
  };
  return new SourceTextError(error.code, error.message, where, { cause: error });
}
