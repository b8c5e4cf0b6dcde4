/** A range of terminals that one driver serves. */
interface TtyDriver {
  /** Below /dev: `tty`, `ttyS`, `pts`. */
  readonly prefix: string;
  readonly major: number;
  readonly first: number;
  readonly last: number;
  /** Whether it serves one device, whose name is the prefix itself. */
  readonly isSingle: boolean;
}

const LINE = /^\S+\s+\/dev\/(\S+)\s+(\d+)\s+(\d+)(?:-(\d+))?\s+(\S+)/;
/** Virtual consoles are called by their minor number; other drivers count from 0. */
const CONSOLE_MAJOR = 4;

/** Names of terminals by device number, as /proc/tty/drivers tells them. @see proc_tty(5) */
export class TtyNames {
  readonly #drivers: readonly TtyDriver[];

  /** `text` is /proc/tty/drivers; lines that are not understood are left out. */
  constructor(text: string) {
    this.#drivers = text.split('\n').flatMap((line) => {
      const [, prefix, major, first, last, type] = LINE.exec(line) ?? [];
      if (prefix === undefined || major === undefined || first === undefined) return [];
      return [
        {
          prefix,
          major: Number(major),
          first: Number(first),
          last: Number(last ?? first),
          isSingle: type?.startsWith('system') === true,
        },
      ];
    });
  }

  /** The name below /dev of a terminal as numbered in /proc/PID/stat; '?' for none. */
  nameOf(device: number): string {
    if (device === 0) return '?';
    // The kernel packs a device number as minor bits 8-19, major, minor bits 0-7.
    const major = (device >>> 8) & 0xfff;
    const minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
    const driver = this.#drivers.find(
      ({ major: served, first, last }) => served === major && first <= minor && minor <= last,
    );
    if (!driver) return '?';
    const { prefix, first, isSingle } = driver;
    if (isSingle) return prefix;
    if (prefix === 'pts') return `pts/${minor}`;
    if (major === CONSOLE_MAJOR && prefix === 'tty') return `tty${minor}`;
    return `${prefix}${minor - first}`;
  }
}
