import { readFileSync } from 'node:fs';

const AT_PAGESZ = 6n;
const AT_CLKTCK = 17n;
const ENTRY_BYTES = 16;

/** What sysconf(3) would return, which Node does not offer. */
export interface SystemConstants {
  /** Bytes of a page of memory (_SC_PAGESIZE). */
  readonly pageSize: number;
  /** Clock ticks a second in which the kernel reports CPU time (_SC_CLK_TCK). */
  readonly hz: number;
}

/** The kernel's constants from this process's auxiliary vector; 4096 and 100 where there is none. @see getauxval(3) */
export function readSystemConstants(auxvPath = '/proc/self/auxv'): SystemConstants {
  const found = new Map<bigint, number>();
  try {
    const bytes = readFileSync(auxvPath);
    for (let at = 0; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES) {
      found.set(bytes.readBigUInt64LE(at), Number(bytes.readBigUInt64LE(at + 8)));
    }
  } catch {
    // not Linux, or /proc is not mounted
  }
  return { pageSize: found.get(AT_PAGESZ) ?? 4096, hz: found.get(AT_CLKTCK) ?? 100 };
}
