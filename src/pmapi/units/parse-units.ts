import { PM_ERR } from '../pm-error.js';
import { SourceTextError } from '../errors.js';
import { scanNumber } from '../scan-number.js';
import { EXTRA_UNITS, makeUnits, type Units } from './units.js';

export interface ParsedUnits {
  readonly units: Units;
  /** A value of the string's unit times this is a value of `units`: `10 sec` gives sec and 0.1. */
  readonly multiplier: number;
}

const BAD_UNIT = 'unrecognized or duplicate base unit';
const BAD_NUMBER = 'invalid floating point literal';
const MANY_EXTRA = 'multiple extra units not allowed';
const UNITS_EXPECTED =
  'units of space (byte, Kbyte …), time (sec, msec …) and count, as in Mbyte, Kbyte / sec, count x 10^3';
const EXTRA_ON_BOTH = 'extra units cannot appear in both dividend and divisor';

/** No units string needs more; a hostile one must not cost much. */
const MAX_LENGTH = 1000;

const BASES = ['Space', 'Time', 'Count'] as const;
type Base = (typeof BASES)[number];

interface Power {
  dim: number;
  scale: number;
}

interface Side {
  number: number;
  readonly powers: Record<Base, Power>;
  extra: { readonly unit: number; readonly scale: number } | undefined;
}

interface BaseUnit {
  readonly base: Base;
  readonly scale: number;
}

const SEC = 3;
const HOUR = 5;
const TIME_SECONDS: readonly (readonly [seconds: number, per: number])[] = [
  [1, 1e9],
  [1, 1e6],
  [1, 1e3],
  [1, 1],
  [60, 1],
  [3600, 1],
];
const SMALLEST_NORMAL = 2.2250738585072014e-308;

const WORDS: ReadonlyMap<string, BaseUnit> = makeWords();

/** Reads a units string: `Kbyte / sec`, `10 sec`, … Throws SourceTextError CONVERSION, PM_ERR_CONV. @see pmParseUnitsStr(3) */
export function parseUnits(text: string): ParsedUnits {
  if (text.length > MAX_LENGTH) throw unitsError(BAD_UNIT, text, MAX_LENGTH);
  const slash = text.indexOf('/');
  const dividend = parseSide(text, 0, slash < 0 ? text.length : slash);
  const divisor = slash < 0 ? emptySide() : parseSide(text, slash + 1, text.length);
  if (dividend.extra && divisor.extra) throw unitsError(EXTRA_ON_BOTH, text, 0, text.length);

  let above = divisor.number;
  let below = dividend.number;
  const powers: Partial<Record<Base, Power>> = {};
  for (const base of BASES) {
    const [p, q] = [dividend.powers[base], divisor.powers[base]];
    let scale = q.dim === 0 ? p.scale : q.scale;
    if (p.dim !== 0 && q.dim !== 0) {
      if (base === 'Time' && Math.max(p.scale, q.scale) > HOUR) {
        throw unitsError('time scale out of bounds', text, 0, text.length);
      }
      below *= baseFactor(base, p);
      above *= baseFactor(base, q);
      scale = base === 'Time' ? SEC : 0;
    }
    const dim = p.dim - q.dim;
    if (dim < -8 || dim > 7) throw unitsError(`${base.toLowerCase()} dimension out of bounds`, text, 0, text.length);
    powers[base] = { dim, scale: dim === 0 ? 0 : scale };
  }
  const extra = dividend.extra ?? divisor.extra;
  const units = makeUnits({
    dimSpace: powers.Space!.dim,
    dimTime: powers.Time!.dim,
    dimCount: powers.Count!.dim,
    scaleSpace: powers.Space!.scale,
    scaleTime: powers.Time!.scale,
    scaleCount: powers.Count!.scale,
    extraUnit: extra ? (dividend.extra ? extra.unit : -extra.unit) : 0,
    extraScale: extra ? extra.scale : 0,
  });
  return { units, multiplier: above / below };
}

function parseSide(text: string, from: number, to: number): Side {
  const side = emptySide();
  const input = text.slice(0, to);
  let offset = from;
  for (;;) {
    while (offset < to && /[ \t\n\v\f\r]/.test(input[offset]!)) offset++;
    if (offset >= to) return side;
    offset = /[-.\d]/.test(input[offset]!) ? addNumber(side, input, offset, text) : addUnit(side, input, offset, text);
  }
}

function addNumber(side: Side, input: string, offset: number, text: string): number {
  const number = scanNumber(input, offset);
  if (!number) throw unitsError(BAD_NUMBER, text, offset);
  const end = offset + number.length;
  const isZero = number.value === 0 && !/[1-9a-f]/i.test(input.slice(offset, end).replace(/^-?0x|[ep].*$/gi, ''));
  const isInRange = Number.isFinite(number.value) && (isZero || Math.abs(number.value) >= SMALLEST_NORMAL);
  if (!isInRange) throw unitsError(BAD_NUMBER, text, offset, end);
  side.number *= number.value;
  return end;
}

function addUnit(side: Side, input: string, offset: number, text: string): number {
  const extra = matchExtraUnit(input, offset);
  if (extra) {
    if (side.extra) throw unitsError(MANY_EXTRA, text, offset, extra.end);
    side.extra = extra;
    return extra.end;
  }
  const word = matchBaseUnit(input, offset);
  if (!word || side.powers[word.base].dim !== 0) throw unitsError(BAD_UNIT, text, offset, word?.end);
  let end = word.end;
  let dim = 1;
  if (input[end] === '^') {
    const exponent = matchAt(/\^(-[1-8]|1[0-5]|\d)(?=\s|$)/y, input, end);
    if (!exponent) throw unitsError(BAD_UNIT, text, end);
    dim = Number(exponent[1]);
    end += exponent[0].length;
  }
  side.powers[word.base] = { dim, scale: word.scale };
  return end;
}

function matchBaseUnit(input: string, offset: number): (BaseUnit & { end: number }) | undefined {
  const power = matchAt(/count x 10\^(-[1-8]|[2-7])(?=[\s^]|$)/iy, input, offset);
  if (power) return { base: 'Count', scale: Number(power[1]), end: offset + power[0].length };
  const ten = matchAt(/count x 10(?=[\s^]|$)/iy, input, offset);
  if (ten) return { base: 'Count', scale: 1, end: offset + ten[0].length };
  const word = matchAt(/[a-z]+(?:-\d{1,2})?(?=[\s^]|$)/iy, input, offset);
  const unit = word ? WORDS.get(word[0].toLowerCase()) : undefined;
  return word && unit ? { ...unit, end: offset + word[0].length } : undefined;
}

function matchExtraUnit(input: string, offset: number): (NonNullable<Side['extra']> & { end: number }) | undefined {
  const found = matchAt(/([a-z]+) \(([a-z]+)\)(?=\s|$)/iy, input, offset);
  if (!found) return undefined;
  const [whole, name, scaleName] = found;
  const unit = EXTRA_UNITS.find((candidate) => candidate.name === name!.toLowerCase());
  const scale = unit?.scales.find((candidate) => candidate.name.toLowerCase() === scaleName!.toLowerCase());
  return unit && scale ? { unit: unit.id, scale: scale.id, end: offset + whole.length } : undefined;
}

function matchAt(pattern: RegExp, input: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset;
  return pattern.exec(input);
}

/** How many bytes, seconds or counts to the power of `dim` one unit is. */
function baseFactor(base: Base, { dim, scale }: Power): number {
  if (base === 'Space') return 2 ** (10 * scale * dim);
  if (base === 'Count') return scale * dim >= 0 ? 10 ** (scale * dim) : 1 / 10 ** (-scale * dim);
  const [seconds, per] = TIME_SECONDS[scale]!;
  return dim >= 0 ? seconds ** dim / per ** dim : per ** -dim / seconds ** -dim;
}

function emptySide(): Side {
  return {
    number: 1,
    powers: { Space: { dim: 0, scale: 0 }, Time: { dim: 0, scale: 0 }, Count: { dim: 0, scale: 0 } },
    extra: undefined,
  };
}

function makeWords(): Map<string, BaseUnit> {
  const words = new Map<string, BaseUnit>();
  const addWords = (base: Base, scale: number, ...names: string[]): void => {
    for (const name of names) words.set(name, { base, scale });
  };
  addWords('Space', 0, 'byte', 'bytes');
  const prefixes = 'kibi-kilo mebi-mega gibi-giga tebi-tera pebi-peta exbi-exa zebi-zetta yobi-yotta'.split(' ');
  prefixes.forEach((pair, i) => {
    const letter = pair[0]!;
    const long = pair.split('-').flatMap((prefix) => [`${prefix}byte`, `${prefix}bytes`]);
    addWords('Space', i + 1, `${letter}b`, `${letter}ib`, `${letter}byte`, `${letter}bytes`, ...long);
  });
  addWords('Time', 0, 'ns', 'nanosec', 'nanosecond', 'nanoseconds');
  addWords('Time', 1, 'us', 'microsec', 'microsecond', 'microseconds');
  addWords('Time', 2, 'ms', 'millisec', 'millisecond', 'milliseconds');
  addWords('Time', 3, 's', 'sec', 'second', 'seconds');
  addWords('Time', 4, 'min', 'minute', 'minutes');
  addWords('Time', 5, 'h', 'hr', 'hour', 'hours');
  addWords('Count', 0, 'count', 'counts');
  for (let i = 0; i < 16; i++) {
    addWords('Space', i, `space-${i}`);
    addWords('Time', i, `time-${i}`);
  }
  return words;
}

function unitsError(message: string, source: string, offset: number, end?: number): SourceTextError {
  return new SourceTextError('CONVERSION', message, {
    source,
    offset,
    end: end ?? offset + /^[^\s/]*/.exec(source.slice(offset))![0].length,
    expected: UNITS_EXPECTED,
    pmErr: PM_ERR.CONV,
  });
}
