declare module 'unbzip2-stream' {
  export default function unbzip2(): NodeJS.ReadWriteStream;
}
