const DAY_MS = 86_400_000;
/** What may be written at once: the allowance of so long. */
const SAVED_MS = 3_600_000;

/** Bytes that one of several may write. */
export interface ByteAllowance {
  /** Whether it may write now: a sample may be larger than what is left, and is paid off then. */
  isOpen(): boolean;
  spend(bytes: number): void;
}

/**
 * Bytes that may be written in a day, spread over it: who writes faster has to leave out samples in between, not the evening. Each has the same
 * share, and what others do not need.
 * @param nowMs a monotonic time
 */
export function shareAllowance(bytesPerDay: number, shares: number, nowMs: () => number): readonly ByteAllowance[] {
  const perMs = bytesPerDay / DAY_MS / shares;
  const most = perMs * SAVED_MS;
  const left = Array.from({ length: shares }, () => most);
  let atMs = nowMs();
  const gain = (): void => {
    const now = nowMs();
    let spare = 0;
    for (const [i, before] of left.entries()) {
      const after = before + perMs * (now - atMs);
      left[i] = Math.min(after, most);
      spare += after - left[i];
    }
    for (const [i, before] of left.entries()) {
      left[i] = Math.min(before + spare, most);
      spare -= left[i] - before;
    }
    atMs = now;
  };
  return left.map((_, i) => ({
    isOpen: () => {
      gain();
      return left[i]! > 0;
    },
    spend: (bytes) => void (left[i]! -= bytes),
  }));
}
