/** Scales of space and time in PCP's words, ascending, and how many of each make one of the next. */
const SPACE = ['byte', 'Kbyte', 'Mbyte', 'Gbyte', 'Tbyte', 'Pbyte', 'Ebyte'];
const SPACE_STEP = 1024;
const TIME = ['nanosec', 'microsec', 'millisec', 'sec'];
const TIME_STEP = 1000;

export interface ReadableValue {
  readonly text: string;
  readonly units: string;
}

/** A value and its units, scaled to keep the number short: 23987772 Kbyte as 22.88 Gbyte. Texts are unchanged. */
export function readableValue(value: string | number, units: string): ReadableValue {
  const [scale = '', per = ''] = splitUnits(units);
  const number = numberOf(value);
  if (number === undefined || number === 0) return plainValue(value, units);
  const inSpace = SPACE.indexOf(scale);
  const inTime = per === '' ? TIME.indexOf(scale) : -1;
  if (inSpace >= 0) return rescaled(number, inSpace, SPACE, SPACE_STEP, per);
  if (inTime >= 0) return rescaled(number, inTime, TIME, TIME_STEP, per);
  return plainValue(value, units);
}

/** A value in its own units: digits in groups of three, with only the significant part of a fraction. */
export function plainValue(value: string | number, units: string): ReadableValue {
  return { text: readableNumber(value), units: units === 'none' ? '' : units };
}

/** A number with grouped digits; fractions have four significant digits. Any other text is unchanged. */
export function readableNumber(value: string | number): string {
  if (typeof value === 'string') return /^-?\d{1,40}$/.test(value) ? grouped(value) : value;
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value)) return Number.isSafeInteger(value) ? grouped(String(value)) : String(value);
  const whole = Math.trunc(Math.abs(value));
  if (whole >= 1e15) return String(value);
  const decimals = whole === 0 ? undefined : Math.max(0, 4 - String(whole).length);
  const short = decimals === undefined ? value.toPrecision(3) : value.toFixed(decimals);
  if (short.includes('e')) return short;
  const [integer = '', fraction] = short.split('.');
  const digits = fraction?.replace(/0+$/, '') ?? '';
  return digits === '' ? grouped(integer) : `${grouped(integer)}.${digits}`;
}

function rescaled(number: number, from: number, scales: readonly string[], step: number, per: string): ReadableValue {
  let [scaled, at] = [number, from];
  for (; Math.abs(scaled) >= step && at < scales.length - 1; at++) scaled /= step;
  for (; Math.abs(scaled) < 1 && at > 0; at--) scaled *= step;
  return { text: readableNumber(scaled), units: `${scales[at]!}${per}` };
}

/** `Kbyte / sec` as `Kbyte` and ` / sec`. */
function splitUnits(units: string): readonly string[] {
  const at = units.indexOf(' / ');
  return at < 0 ? [units, ''] : [units.slice(0, at), units.slice(at)];
}

function numberOf(value: string | number): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return /^-?\d{1,40}$/.test(value) ? Number(value) : undefined;
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}
