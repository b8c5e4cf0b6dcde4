/**
 * The units of a metric: a dimension and a scale in each of space, time and count, and at most one extra unit (7.x). Dimensions are signed
 * 4-bit numbers (-8..7). Scales: space n is 1024^n byte; time 0..5 is nanosec, microsec, millisec, sec, min, hour; count n is 10^n.
 * @see pmLookupDesc(3)
 */
export interface Units {
  readonly dimSpace: number;
  readonly dimTime: number;
  readonly dimCount: number;
  readonly scaleSpace: number;
  readonly scaleTime: number;
  readonly scaleCount: number;
  /** 0: no extra unit; else its number (temperature, voltage, current, power), negative in a divisor. */
  readonly extraUnit: number;
  readonly extraScale: number;
}

export const DIMENSIONLESS: Units = Object.freeze({
  dimSpace: 0,
  dimTime: 0,
  dimCount: 0,
  scaleSpace: 0,
  scaleTime: 0,
  scaleCount: 0,
  extraUnit: 0,
  extraScale: 0,
});

/** Units from the parts that are not zero, frozen. */
export function makeUnits(parts: Partial<Units>): Units {
  return Object.freeze({ ...DIMENSIONLESS, ...parts });
}

/**
 * Units from the 32-bit word of a descriptor: from bit 31 down, signed 4-bit dimSpace, dimTime, dimCount, unsigned 4-bit
 * scaleSpace, scaleTime, signed 4-bit scaleCount, signed 5-bit extraUnit, unsigned 3-bit extraScale.
 * @see LOGARCHIVE(5)
 */
export function decodeUnits(word: number): Units {
  return makeUnits({
    dimSpace: word >> 28,
    dimTime: (word << 4) >> 28,
    dimCount: (word << 8) >> 28,
    scaleSpace: (word >>> 16) & 15,
    scaleTime: (word >>> 12) & 15,
    scaleCount: (word << 20) >> 28,
    extraUnit: (word << 24) >> 27,
    extraScale: word & 7,
  });
}

/** The descriptor's 32-bit word (unsigned); the inverse of {@link decodeUnits}. */
export function encodeUnits(units: Units): number {
  return (
    (((units.dimSpace & 15) << 28) |
      ((units.dimTime & 15) << 24) |
      ((units.dimCount & 15) << 20) |
      ((units.scaleSpace & 15) << 16) |
      ((units.scaleTime & 15) << 12) |
      ((units.scaleCount & 15) << 8) |
      ((units.extraUnit & 31) << 3) |
      (units.extraScale & 7)) >>>
    0
  );
}

/** Whether two units are the same in every part, scales of absent dimensions included. */
export function sameUnits(a: Units, b: Units): boolean {
  return encodeUnits(a) === encodeUnits(b);
}
/** A scale of an extra unit: `value in the base scale = (value + offset) * numerator / denominator`. */
export interface ExtraScale {
  readonly id: number;
  readonly name: string;
  readonly offset: number;
  readonly numerator: number;
  readonly denominator: number;
}

export interface ExtraUnit {
  /** The number in a descriptor's units word; negative there if the unit is a divisor. */
  readonly id: number;
  readonly name: string;
  readonly scales: readonly ExtraScale[];
}

function scale(id: number, name: string, numerator: number, denominator = 1, offset = 0): ExtraScale {
  return { id, name, offset, numerator, denominator };
}

/** Every extra unit with its scales. The base scale of each is the one with the smallest steps, Celsius for temperature. */
export const EXTRA_UNITS: readonly ExtraUnit[] = [
  { id: 1, name: 'temperature', scales: [scale(0, 'C', 1), scale(1, 'F', 10, 18, -32), scale(2, 'K', 1, 1, -273.15)] },
  { id: 2, name: 'voltage', scales: [scale(0, 'V', 1_000_000), scale(1, 'mV', 1000), scale(2, 'uV', 1)] },
  { id: 3, name: 'current', scales: [scale(0, 'A', 1_000_000), scale(1, 'mA', 1000), scale(2, 'uA', 1)] },
  {
    id: 4,
    name: 'power',
    scales: [scale(0, 'kW', 1_000_000_000), scale(1, 'W', 1_000_000), scale(2, 'mW', 1000), scale(3, 'uW', 1)],
  },
];

/** The extra unit of a number, of either sign; undefined for an unknown number. */
export function findExtraUnit(id: number): ExtraUnit | undefined {
  return EXTRA_UNITS.find((unit) => unit.id === Math.abs(id));
}

const SPACE = ['byte', 'Kbyte', 'Mbyte', 'Gbyte', 'Tbyte', 'Pbyte', 'Ebyte', 'Zbyte', 'Ybyte'];
const TIME = ['nanosec', 'microsec', 'millisec', 'sec', 'min', 'hour'];

/** The units as PCP 7.2 prints them: `Kbyte / sec`, `count x 10^3`, `/ sec`; '' without dimension. @see pmUnitsStr(3) */
export function formatUnits(units: Units): string {
  const { dimSpace, dimTime, dimCount, extraUnit, scaleCount } = units;
  if (dimSpace === 0 && dimTime === 0 && dimCount === 0 && extraUnit === 0) {
    return scaleCount === 0 ? '' : countWord(scaleCount);
  }
  const parts: readonly (readonly [dim: number, word: string])[] = [
    [Math.sign(extraUnit), extraWord(units)],
    [dimSpace, SPACE[units.scaleSpace] ?? `space-${units.scaleSpace}`],
    [dimTime, TIME[units.scaleTime] ?? `time-${units.scaleTime}`],
    [dimCount, countWord(scaleCount)],
  ];
  const half = (sign: 1 | -1): string =>
    parts
      .filter(([dim]) => dim * sign > 0)
      .map(([dim, word]) => (Math.abs(dim) === 1 ? word : `${word}^${Math.abs(dim)}`))
      .join(' ');
  const [above, below] = [half(1), half(-1)];
  if (below === '') return above;
  return above === '' ? `/ ${below}` : `${above} / ${below}`;
}

function countWord(scale: number): string {
  if (scale === 0) return 'count';
  return scale === 1 ? 'count x 10' : `count x 10^${scale}`;
}

function extraWord({ extraUnit, extraScale }: Units): string {
  const unit = findExtraUnit(extraUnit);
  if (!unit) return `extra-${Math.abs(extraUnit)}`;
  const scale = unit.scales.find((candidate) => candidate.id === extraScale);
  return `${unit.name} (${scale ? scale.name : `scale-${extraScale}`})`;
}
