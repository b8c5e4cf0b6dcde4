/**
 * The units of a metric: a dimension and a scale in each of space, time and count, and at most one extra unit (7.x).
 * Dimensions are signed 4-bit numbers (-8..7). Scales: space n is 1024^n byte; time 0..5 is
 * nanosec, microsec, millisec, sec, min, hour; count n is 10^n.
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

/** Dimensionless. */
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
