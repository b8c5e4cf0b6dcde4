const MOST_LENGTH = 256;

/** A name that a stranger chose, of a process, user or group: without control and direction characters, and of 256 characters at most. */
export function plainName(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '?');
  return plain.length > MOST_LENGTH ? `${plain.slice(0, MOST_LENGTH - 1)}…` : plain;
}
