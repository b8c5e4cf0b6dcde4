import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { compress } from 'snappyjs';
import { eventLoopTurns, inTurns } from '../../../kit/index.js';
import type { NumberColumn } from '../evaluation/number-column.js';
import type { StreamedAnswer } from '../../../http/index.js';

/** One series of an answer: its labels with the metric's name, sorted by name. */
export interface RemoteSeries {
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly column: NumberColumn;
}

export const REMOTE_READ_TYPE = 'application/x-protobuf';

/** Bytes of a sample: tags, lengths, a double and a present-day time. */
export const SAMPLE_BYTES = 18;

/** Samples that are written at once: a millisecond's work. */
const SAMPLES_AT_ONCE = 4096;
/** Snappy compresses blocks of this size one by one. */
const BLOCK_BYTES = 65_536;

/** Part of a message: bytes that follow one another. */
interface Part {
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
}

/** Prometheus' ReadResponse (protobuf in snappy blocks). Releases columns as they are written. */
export async function remoteReadAnswer(queries: readonly (readonly RemoteSeries[])[]): Promise<StreamedAnswer> {
  const results: Part[] = [];
  for (const series of queries) {
    const written: Part[] = [];
    for (const one of series) {
      const turn = eventLoopTurns.next();
      if (turn) await turn;
      written.push(inField(1, await writeSeries(one)));
    }
    results.push(inField(1, joined(written)));
  }
  const { pieces, length } = joined(results);
  return {
    contentType: REMOTE_READ_TYPE,
    headers: ['Content-Encoding', 'snappy'],
    pieces: inTurns(compressed(pieces, length)),
    heldBytes: length,
    isCoded: true,
  };
}

async function writeSeries({ labels, column }: RemoteSeries): Promise<Part> {
  const head = new BinaryWriter();
  for (const [name, value] of labels) {
    head.tag(1, WireType.LengthDelimited).fork();
    head.tag(1, WireType.LengthDelimited).string(name);
    head.tag(2, WireType.LengthDelimited).string(value);
    head.join();
  }
  const pieces: Uint8Array[] = [head.finish()];
  const { times, numbers } = column;
  for (let from = 0; from < column.length; from += SAMPLES_AT_ONCE) {
    const turn = eventLoopTurns.next();
    if (turn) await turn;
    pieces.push(writeSamples(times, numbers, from, Math.min(from + SAMPLES_AT_ONCE, column.length)));
  }
  return joined(pieces.map((piece) => ({ pieces: [piece], length: piece.length })));
}

function writeSamples(times: Float64Array, numbers: Float64Array, from: number, to: number): Uint8Array {
  const writer = new BinaryWriter();
  const bits = new BigUint64Array(numbers.buffer);
  for (let i = from; i < to; i++) {
    const number = numbers[i]!;
    writer.tag(2, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.Bit64);
    // Of NaNs the bits matter: some are stale markers.
    if (Number.isNaN(number)) writer.fixed64(bits[i]!);
    else writer.double(number);
    writer.tag(2, WireType.Varint).int64(times[i]!);
    writer.join();
  }
  return writer.finish();
}

function inField(field: number, { pieces, length }: Part): Part {
  const head = new BinaryWriter().tag(field, WireType.LengthDelimited).uint32(length).finish();
  return { pieces: [head, ...pieces], length: head.length + length };
}

function joined(parts: readonly Part[]): Part {
  return { pieces: parts.flatMap(({ pieces }) => pieces), length: parts.reduce((sum, { length }) => sum + length, 0) };
}

/** Snappy's block format: the length of all, then blocks that are compressed by themselves. */
function* compressed(pieces: readonly Uint8Array[], length: number): Generator<Uint8Array, void> {
  yield new BinaryWriter().uint32(length).finish();
  const block = new Uint8Array(BLOCK_BYTES);
  let filled = 0;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length;) {
      const some = piece.subarray(from, from + BLOCK_BYTES - filled);
      block.set(some, filled);
      filled += some.length;
      from += some.length;
      if (filled < BLOCK_BYTES) continue;
      yield compressBlock(block);
      filled = 0;
    }
  }
  if (filled > 0) yield compressBlock(block.subarray(0, filled));
}

function compressBlock(block: Uint8Array): Uint8Array {
  const bytes = compress(block);
  let head = 0;
  while (bytes[head]! >= 0x80) head++;
  return bytes.subarray(head + 1);
}
