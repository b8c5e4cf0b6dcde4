/** A scale of an extra unit: `value in the base scale = (value + offset) * numerator / denominator`. */
export interface ExtraScale {
  /** The number in a descriptor's units word. */
  readonly id: number;
  readonly name: string;
  readonly offset: number;
  readonly numerator: number;
  readonly denominator: number;
}

/** One of the units beyond space, time and count that PCP 7 added. */
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
