/** How answers write what they hold: short, and with everything of strangers in quotes. */

const SPARKS = '▁▂▃▄▅▆▇█';
const LONGEST_TEXT = 80;
/** Control characters, and those that change the direction of text or cannot be seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]+/gu;

/** A text without characters that cannot be seen, at most so long. */
export function bounded(text: string, longest = LONGEST_TEXT): string {
  const plain = text.replaceAll(UNSEEN, ' ');
  // Half of a pair would not be text.
  return plain.length > longest ? `${plain.slice(0, longest - 1).replace(/\p{Cs}$/u, '')}…` : plain;
}

/** The same of a text that there may be. */
export function boundedOr(text: string | undefined, longest = LONGEST_TEXT): string | undefined {
  return text === undefined ? undefined : bounded(text, longest);
}

/** A text of a stranger: in quotes, on one line, at most so long. */
export function quoted(text: string, longest = LONGEST_TEXT): string {
  return JSON.stringify(bounded(text, longest));
}

/** The name of a metric: as it is, if it has only the characters that PCP permits. */
export function named(name: string, instance?: string): string {
  const metric = /^[A-Za-z][\w.]{0,120}$/.test(name) ? name : quoted(name, 120);
  return instance === undefined ? metric : `${metric}[${quoted(instance)}]`;
}

/** A number with four significant digits. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** A value: a number with four significant digits, or a text in quotes. */
export function valueText(value: unknown): string {
  if (typeof value === 'number') return String(rounded(value));
  return typeof value === 'string' ? quoted(value) : 'no value';
}

/** Units behind a name; none for numbers without. */
export function unitsText(units: string | undefined): string {
  return units === undefined || units === '' || units === 'none' ? '' : ` (${bounded(units, 40)})`;
}

/** Seconds since the epoch as ISO 8601, to the second where they are whole. */
export function timeText(seconds: number): string {
  return new Date(Math.round(seconds * 1000)).toISOString().replace('.000Z', 'Z');
}

/** A window as addresses of the console have it. */
export function windowText(start: number, finish: number): string {
  return `${timeText(start)}/${timeText(finish)}`;
}

/** Values as a row of blocks, from the least to the largest; a space where there is none. */
export function sparkline(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  const least = Math.min(...known);
  const span = Math.max(...known) - least;
  return values
    .map((value) => {
      if (value === null) return ' ';
      return SPARKS[span === 0 ? 0 : Math.min(7, Math.floor(((value - least) / span) * 8))]!;
    })
    .join('');
}
