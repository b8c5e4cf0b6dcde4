// What the package makes of these needs Node's streams; these need nothing.
type ReadBits = ((bits: number | null) => number) & { readonly bytesRead: number };

declare module 'unbzip2-stream/lib/bit_iterator.js' {
  export default function bitReader(next: () => Uint8Array): ReadBits;
}

declare module 'unbzip2-stream/lib/bzip2.js' {
  const bzip2: {
    /** Reads a stream's head: the level of its blocks. */
    header(read: ReadBits): number;
    /** Reads a block, or the end of a stream; the check sum of the stream so far, null at its end. */
    decompress(
      read: ReadBits,
      take: (byte: number) => void,
      block: Int32Array,
      length: number,
      sum: number,
    ): number | null;
  };
  export default bzip2;
}
