import { GatewayError } from './errors.js';
import { SourceTextError } from './source-text-error.js';

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
