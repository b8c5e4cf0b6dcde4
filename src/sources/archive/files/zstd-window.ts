import { numberOf, StreamGuard } from './stream-guard.js';
import type { Walk } from './stream-guard.js';

/** A window that a decoder must be able to hold; `zstd --ultra -20` and below need no more. */
const MAX_WINDOW_BYTES = 32 * 1024 * 1024;

const FRAME_MAGIC = 0xfd2fb528;
/** The lowest four bits are free. */
const SKIPPABLE_MAGIC = 0x184d2a50;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
const CHECKSUM_BYTES = 4;
const RESERVED_BLOCK = 3;
const RLE_BLOCK = 1;

/**
 * Looks at zstd data on its way to the decoder, which allocates whatever window a frame says that it has: up to two gigabytes,
 * in a file of a few bytes.
 * @see RFC 8878, section 3.1.1
 */
export class ZstdWindowGuard extends StreamGuard {
  constructor() {
    super(walkFrames());
  }
}

/** Ends where the data make no sense any more: the decoder will say so. */
function* walkFrames(): Walk {
  for (;;) {
    const magic = numberOf(yield { read: 4 });
    if (magic >= SKIPPABLE_MAGIC && magic < SKIPPABLE_MAGIC + 16) {
      yield { skip: numberOf(yield { read: 4 }) };
      continue;
    }
    if (magic !== FRAME_MAGIC) return;
    const descriptor = numberOf(yield { read: 1 });
    const isSingleSegment = (descriptor & 0x20) !== 0;
    const sizeBytes = descriptor >> 6 === 0 ? Number(isSingleSegment) : 1 << (descriptor >> 6);
    const window = isSingleSegment ? 0 : windowBytes(numberOf(yield { read: 1 }));
    yield { skip: DICTIONARY_ID_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3] };
    const content = numberOf(yield { read: sizeBytes }) + (sizeBytes === 2 ? 256 : 0);
    const needed = isSingleSegment ? content : window;
    if (needed > MAX_WINDOW_BYTES) {
      throw new Error(`it needs a window of ${needed} bytes, and ${MAX_WINDOW_BYTES} are allowed`);
    }
    for (let isLast = false; !isLast;) {
      const block = numberOf(yield { read: 3 });
      const type = (block >> 1) & 3;
      if (type === RESERVED_BLOCK) return;
      isLast = (block & 1) === 1;
      yield { skip: type === RLE_BLOCK ? 1 : block >> 3 };
    }
    if ((descriptor & 4) !== 0) yield { skip: CHECKSUM_BYTES };
  }
}

function windowBytes(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}
