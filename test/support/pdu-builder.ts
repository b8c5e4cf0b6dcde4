/**
 * Bytes of pmcd's PDUs, built by hand from the protocol's description and independent of the codecs under test: what goes
 * wrong there must not go wrong here in the same way.
 */

/** 32-bit big-endian words, signed or unsigned. */
export function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => bytes.writeUInt32BE(value >>> 0, i * 4));
  return bytes;
}

/** Bytes from hexadecimal text; blanks and bars are ignored. */
export function hex(text: string): Buffer {
  return Buffer.from(text.replace(/[\s|]/g, ''), 'hex');
}

/** 64 bits. */
export function long(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value));
  return bytes;
}

/** Padded with `~` to a word. */
export function padded(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4, '~')]);
}

/** A whole PDU of `type` with a right length. */
export function pdu(type: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([words(12 + body.length, type, 0), body]);
}

/** Overwrite one word of a PDU, for PDUs that lie. */
export function withWord(bytes: Buffer, offset: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32BE(value >>> 0, offset);
  return copy;
}

export const errorPdu = (code: number): Buffer => pdu(0x7000, words(code));

/** pmcd's first PDU: version 2, licensed, and feature bits. */
export const challengePdu = (features: number, code = 0): Buffer => pdu(0x7000, words(code, 0x02010000 | features));

/** A value: the word in place, or the type and data of a value block. */
export type BuiltValue = number | { readonly type: number; readonly data: Buffer };

/** A value set: values by instance, or an error code (or 0) in place of them. */
export interface BuiltSet {
  readonly pmid: number;
  readonly values: readonly (readonly [instance: number, value: BuiltValue])[] | number;
  /** Value format for blocks: 1 (default) or 2. */
  readonly format?: number;
}

/** Value sets and the blocks behind them, for a PDU (or record) where the sets begin at byte `start`. */
export function valueSets(start: number, sets: readonly BuiltSet[], pointerBias = 0): Buffer {
  const sizeOf = ({ values }: BuiltSet): number =>
    typeof values === 'number' || values.length === 0 ? 8 : 12 + 8 * values.length;
  let blockAt = start + sets.reduce((sum, set) => sum + sizeOf(set), 0);
  const heads: Buffer[] = [];
  const blocks: Buffer[] = [];
  for (const { pmid, values, format = 1 } of sets) {
    if (typeof values === 'number' || values.length === 0) {
      heads.push(words(pmid, typeof values === 'number' ? values : 0));
      continue;
    }
    const inPlace = typeof values[0]![1] === 'number';
    heads.push(words(pmid, values.length, inPlace ? 0 : format));
    for (const [instance, value] of values) {
      if (typeof value === 'number') {
        heads.push(words(instance, value));
        continue;
      }
      heads.push(words(instance, blockAt / 4 + pointerBias));
      const block = padded(Buffer.concat([words((value.type << 24) | (value.data.length + 4)), value.data]));
      blocks.push(block);
      blockAt += block.length;
    }
  }
  return Buffer.concat([...heads, ...blocks]);
}

export const resultPdu = (sec: number, usec: number, sets: readonly BuiltSet[]): Buffer =>
  pdu(0x7001, words(sec, usec, sets.length), valueSets(24, sets));

export const highresResultPdu = (sec: bigint, nsec: bigint, sets: readonly BuiltSet[]): Buffer =>
  pdu(0x7015, words(sets.length), long(sec), long(nsec), valueSets(32, sets));

/** The five words of a descriptor. */
export type BuiltDescriptor = readonly [pmid: number, type: number, indom: number, sem: number, units: number];

export const descPdu = (descriptor: BuiltDescriptor): Buffer => pdu(0x7005, words(...descriptor));

export const descsPdu = (descriptors: readonly BuiltDescriptor[]): Buffer =>
  pdu(0x7017, words(descriptors.length), words(...descriptors.flat()));

export const instancePdu = (indom: number, instances: readonly (readonly [id: number, name: string])[]): Buffer =>
  pdu(
    0x7007,
    words(indom, instances.length),
    ...instances.flatMap(([id, name]) => [words(id, Buffer.byteLength(name)), padded(name)]),
  );

export const textPdu = (ident: number, text: string): Buffer =>
  pdu(0x7009, words(ident, Buffer.byteLength(text)), padded(text));

/** Names; with statuses (0 leaf, 1 not) when given. */
export function namesPdu(names: readonly string[], statuses?: readonly number[]): Buffer {
  const stringBytes = names.reduce((sum, name) => sum + Buffer.byteLength(name) + 1, 0);
  return pdu(
    0x700e,
    words(stringBytes, statuses ? names.length : 0, names.length),
    ...names.flatMap((name, i) => [
      ...(statuses ? [words(statuses[i]!)] : []),
      words(Buffer.byteLength(name)),
      padded(name),
    ]),
  );
}

export const idsPdu = (pmids: readonly number[]): Buffer =>
  pdu(0x700d, words(pmids.filter((pmid) => pmid !== 0xffffffff).length, pmids.length, ...pmids));

export const attributePdu = (attribute: number, value: string | Buffer): Buffer =>
  pdu(0x7011, words(attribute), Buffer.from(value as string));

/** One label: its name, the JSON text of its value, and its flags. */
export type BuiltLabel = readonly [name: string, json: string, flags?: number];

/** Label sets with their JSON texts behind them. */
export function labelPdu(
  ident: number,
  type: number,
  sets: readonly (readonly [instance: number, labels: readonly BuiltLabel[]])[],
): Buffer {
  let jsonAt = 28 + sets.reduce((sum, [, labels]) => sum + 16 + 8 * labels.length, 0);
  const heads: Buffer[] = [];
  const texts: Buffer[] = [];
  for (const [instance, labels] of sets) {
    let text = '{';
    const entries: Buffer[] = [];
    for (const [name, json, flags = 0] of labels) {
      if (text !== '{') text += ',';
      const nameAt = text.length + 1;
      text += `"${name}":`;
      const entry = Buffer.alloc(8);
      entry.writeUInt16BE(nameAt, 0);
      entry.writeUInt8(name.length, 2);
      entry.writeUInt8(type | flags, 3);
      entry.writeUInt16BE(text.length, 4);
      entry.writeUInt16BE(json.length, 6);
      entries.push(entry);
      text += json;
    }
    text += '}';
    heads.push(words(instance, labels.length, jsonAt, text.length), ...entries);
    texts.push(Buffer.from(text));
    jsonAt += text.length;
  }
  return pdu(0x7013, words(ident, type, 0, sets.length), ...heads, ...texts);
}
