import { SourceTextError } from '../source-text-error.js';

/** What pmParseInterval(3) says about an empty text. */
export const EMPTY_SPECIFICATION = 'Null or empty specification';
/** What pmParseInterval(3) says about anything else that it does not understand. */
export const UNEXPECTED_VALUE = 'unexpected value';

/** No time or interval requires a longer text; a hostile one must not cost much. */
export const TIME_TEXT_MAX_LENGTH = 1000;

/** The error of the parsers of times and intervals; the message is one of PCP's two. */
export function timeTextError(message: string, source: string, offset: number, expected: string): SourceTextError {
  const rest = /^\S+/.exec(source.slice(offset));
  return new SourceTextError('BAD_PARAMETER', message, {
    source,
    offset,
    end: offset + (rest ? rest[0].length : 0),
    expected,
  });
}
