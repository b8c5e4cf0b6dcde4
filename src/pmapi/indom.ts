/**
 * Instance domain identifiers are unsigned 32-bit numbers: 1 flag bit, 9 bits domain, 22 bits serial.
 * @see pmLookupInDom(3), pmInDomStr(3)
 */

/** PM_INDOM_NULL: a metric with one value and no instances ("singular"). */
export const INDOM_NULL = 0xffffffff;

/** PM_IN_NULL: the instance identifier of a singular metric's value. */
export const INSTANCE_NULL = -1;

/** Build an instance domain identifier from its parts, each taken modulo its width. */
export function makeIndom(domain: number, serial: number): number {
  return (((domain & 511) << 22) | (serial & 0x3fffff)) >>> 0;
}

/** The domain of an instance domain: which agent has it; 0 to 511. */
export function indomDomain(indom: number): number {
  return (indom >>> 22) & 511;
}

/** The serial number of an instance domain within its domain; 0 to 4194303. */
export function indomSerial(indom: number): number {
  return indom & 0x3fffff;
}

/** `domain.serial`, or `PM_INDOM_NULL`. @see pmInDomStr(3) */
export function formatIndom(indom: number): string {
  return indom === INDOM_NULL ? 'PM_INDOM_NULL' : `${indomDomain(indom)}.${indomSerial(indom)}`;
}

/** Parses `d.s`, a decimal number or `0x…`; undefined for anything else, and if a part is out of range. */
export function parseIndom(text: string): number | undefined {
  const dotted = /^(\d{1,3})\.(\d{1,7})$/.exec(text);
  if (dotted) {
    const [domain, serial] = [Number(dotted[1]), Number(dotted[2])];
    return domain <= 511 && serial <= 0x3fffff ? makeIndom(domain, serial) : undefined;
  }
  if (!/^(?:\d{1,10}|0[xX][0-9a-fA-F]{1,8})$/.test(text)) return undefined;
  const value = Number(text);
  return value <= 0xffffffff ? value : undefined;
}

/** One member of an instance domain: the internal identifier and the external instance name. */
export interface Instance {
  readonly id: number;
  readonly name: string;
}

/** An instance domain at one moment, in the source's own order. */
export interface InstanceDomain {
  readonly indom: number;
  readonly instances: readonly Instance[];
}
