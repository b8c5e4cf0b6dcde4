/** What the bundle for pages has in place of what is Node's own. */

/** Numbers as JSON, non-finite ones null. */
export class NumberText {
  write(numbers: ArrayLike<number>): string {
    return JSON.stringify(Array.from(numbers)).slice(1, -1);
  }
}

/** K of SHA-1, in each of its four rounds. */
const CONSTANTS = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];

/** SHA-1 of a text, as 40 hex digits, like that of `node:crypto`: pages have only one that must be waited for. @see RFC 3174 */
export function hash(_algorithm: 'sha1', text: string): string {
  const bytes = new TextEncoder().encode(text);
  const blocks = new DataView(new ArrayBuffer((bytes.length + 72) & ~63));
  bytes.forEach((byte, at) => blocks.setUint8(at, byte));
  blocks.setUint8(bytes.length, 0x80);
  blocks.setUint32(blocks.byteLength - 4, bytes.length * 8);
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  const words = new Int32Array(80);
  const turned = (word: number, by: number): number => (word << by) | (word >>> (32 - by));
  for (let block = 0; block < blocks.byteLength; block += 64) {
    let [a, b, c, d, e] = state as [number, number, number, number, number];
    for (let t = 0; t < 80; t++) {
      words[t] =
        t < 16
          ? blocks.getInt32(block + 4 * t)
          : turned(words[t - 3]! ^ words[t - 8]! ^ words[t - 14]! ^ words[t - 16]!, 1);
      const round = Math.floor(t / 20);
      const f = [(b & c) | (~b & d), b ^ c ^ d, (b & c) | (b & d) | (c & d), b ^ c ^ d][round]!;
      const next = (turned(a, 5) + f + e + words[t]! + CONSTANTS[round]!) | 0;
      [a, b, c, d, e] = [next, a, turned(b, 30), c, d];
    }
    [a, b, c, d, e].forEach((word, i) => (state[i] = (state[i]! + word) | 0));
  }
  return state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}
