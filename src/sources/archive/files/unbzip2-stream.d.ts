declare module 'unbzip2-stream' {
  /** A stream that takes .bz2 bytes and gives what they stand for. */
  export default function unbzip2(): NodeJS.ReadWriteStream;
}
