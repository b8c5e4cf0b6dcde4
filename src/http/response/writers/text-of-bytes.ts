const decoder = new TextDecoder('utf-8');

/** Bytes as text, without trailing NULs; what is not UTF-8 becomes U+FFFD. */
export function textOfBytes(bytes: Uint8Array): string {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return decoder.decode(bytes.subarray(0, end));
}
