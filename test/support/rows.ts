/** A list of short rows, such as pairs of an instance and its value, that reads best on one line. */
export function rows<Row extends readonly [unknown, ...unknown[]] | object>(...all: Row[]): Row[] {
  return all;
}
