import type { HostBytes } from './host-bytes.js';

export const HEADER_BYTES = 40;
const CONTENTS_ENTRY_BYTES = 16;
const MAGIC = 'MMV';
const MAX_CLUSTER = 4095;

/** Bits of the flags in a header; others are ignored. */
export const FileFlag = { NO_PREFIX: 1, PROCESS: 2, SENTINEL: 4 } as const;

export interface MmvHeader {
  readonly version: 1 | 2 | 3;
  readonly contents: number;
  readonly flags: number;
  /** The process of the file, if the flag PROCESS is set; otherwise undefined. */
  readonly process: number | undefined;
  /** The cluster that the file requests; 0: any. */
  readonly cluster: number;
}

/** The state of a header: the file can be read, it is being written, or it is invalid, and why. */
export type HeaderState =
  | { readonly state: 'complete'; readonly header: MmvHeader }
  | { readonly state: 'writing' }
  | { readonly state: 'refused'; readonly reason: string };

/** Parses the header of a file of `size` bytes. Complete files have equal generations, not 0. @see FORMAT.md, "Header" */
export function readHeader(bytes: HostBytes, size: number): HeaderState {
  if (size < HEADER_BYTES || !bytes.has(0, HEADER_BYTES)) return refused(`it has ${size} bytes, a header takes 40`);
  if (bytes.terminatedText(0, 4) !== MAGIC) return refused('it does not begin with MMV');
  const version = bytes.u32(4);
  if (version !== 1 && version !== 2 && version !== 3) {
    return refused(`it has version ${version}, or is of a machine with another byte order`);
  }
  const generation = bytes.u64(8);
  if (generation === 0n || generation !== bytes.u64(16)) return { state: 'writing' };
  const contents = bytes.i32(24);
  if (contents < 2 || HEADER_BYTES + contents * CONTENTS_ENTRY_BYTES > size) {
    return refused(`its table of contents has ${contents} entries`);
  }
  const flags = bytes.u32(28);
  const process = bytes.i32(32);
  const cluster = bytes.i32(36);
  if (cluster < 0 || cluster > MAX_CLUSTER) return refused(`it asks for cluster ${cluster}`);
  const isOfProcess = (flags & FileFlag.PROCESS) !== 0 && process !== 0;
  const header = { version, contents, flags, process: isOfProcess ? process : undefined, cluster } as const;
  return { state: 'complete', header };
}

export interface Section {
  readonly offset: number;
  readonly count: number;
}

/** Kinds of sections that are read; instances and strings are found by their offsets. */
export const SectionKind = { INDOMS: 1, METRICS: 3, VALUES: 4, LABELS: 6 } as const;

/** The sections of a table of contents, by kind; the last of each kind. */
export function readContents(bytes: HostBytes, { contents }: MmvHeader): ReadonlyMap<number, Section> {
  const sections = new Map<number, Section>();
  for (let i = 0; i < contents; i++) {
    const at = HEADER_BYTES + i * CONTENTS_ENTRY_BYTES;
    const kind = bytes.u32(at);
    if (kind >= SectionKind.INDOMS && kind <= SectionKind.LABELS) {
      sections.set(kind, { count: bytes.u32(at + 4), offset: bytes.offset(at + 8) });
    }
  }
  return sections;
}

function refused(reason: string): HeaderState {
  return { state: 'refused', reason };
}
