import { attempt } from '../../kit/index.js';
import { PMID_NULL, PM_ERR, decodeUnits, encodeUnits, isMetricType } from '../../pmapi/index.js';
import type { Label, LabelTarget, MetricDescriptor, Semantics } from '../../pmapi/index.js';
import type { ByteReader } from './byte-reader.js';
import { decodeText } from './bytes.js';
import type { ByteWriter } from './byte-writer.js';

/** Bytes of a descriptor: pmid, type, indom, semantics, units, one word each. */
export const DESCRIPTOR_BYTES = 20;

/** A null PMID, as in a bulk reply, gives PM_ERR_PMID, an impossible type PM_ERR_TYPE; any semantics pass. @see pmLookupDesc(3), LOGARCHIVE(5) */
export function decodeDescriptor(reader: ByteReader): MetricDescriptor | number {
  reader.require(DESCRIPTOR_BYTES, 'descriptor');
  const pmid = reader.u32('pmid');
  const type = reader.i32('type');
  const indom = reader.u32('indom');
  const semantics = reader.i32('semantics');
  const units = decodeUnits(reader.i32('units'));
  if (pmid === PMID_NULL) return PM_ERR.PMID;
  if (!isMetricType(type)) return PM_ERR.TYPE;
  return { pmid, type, indom, semantics: semantics as Semantics, units };
}

export function encodeDescriptor(writer: ByteWriter, descriptor: MetricDescriptor): void {
  const { pmid, type, indom, semantics, units } = descriptor;
  writer.words(pmid, type, indom, semantics, encodeUnits(units));
}

/** The type of each kind of target of labels. @see pmLookupLabels(3), LOGARCHIVE(5) */
export const LABEL_TYPES = { context: 1, domain: 2, indom: 4, cluster: 8, item: 16, instances: 32 } as const;

/** The number of a target among those of its type. */
export function labelIdent(target: LabelTarget): number {
  switch (target.kind) {
    case 'context':
      return PMID_NULL;
    case 'domain':
      return target.domain;
    case 'indom':
    case 'instances':
      return target.indom;
    case 'cluster':
      return (target.pmid & ~0x3ff) >>> 0;
    case 'item':
      return target.pmid;
  }
}

/** Bytes of one label's entry: u16 nameOffset, u8 nameLength, u8 flags, u16 valueOffset, u16 valueLength. */
export const LABEL_BYTES = 8;

/** The flag of labels that are no part of the source's identity (userid, groupid). */
export const OPTIONAL_FLAG = 0x80;

/**
 * Read `count` label entries at the reader's position. Their offsets point into `json`, the text of the whole set; a value
 * is a slice of it and is kept as the JSON that it is. Slices outside of the text, and values that are no JSON, throw.
 * @see pmLookupLabels(3), LOGARCHIVE(5)
 */
export function decodeLabels(reader: ByteReader, count: number, json: Uint8Array): Label[] {
  reader.require(count * LABEL_BYTES, 'labels');
  // Names and values are slices apart from one another: their sizes add up to no more than the text's.
  let room = 2 * json.length;
  const slice = (offset: number, length: number, field: string): string => {
    room -= length;
    if (room < 0) reader.fail(`the labels' slices of ${json.length} bytes of JSON overlap`);
    if (offset + length > json.length) {
      reader.fail(`${field} is the slice ${offset}..${offset + length} of ${json.length} bytes of JSON`);
    }
    return decodeText(json, offset, offset + length);
  };
  const labels: Label[] = [];
  for (let i = 0; i < count; i++) {
    const nameOffset = reader.u16('label name offset');
    const nameLength = reader.u8('label name length');
    const flags = reader.u8('label flags');
    const valueOffset = reader.u16('label value offset');
    const valueLength = reader.u16('label value length');
    const name = slice(nameOffset, nameLength, 'label name');
    const given = slice(valueOffset, valueLength, 'label value');
    const value = attempt(() => compactJson(given));
    if (value === undefined) reader.fail(`the value of label ${JSON.stringify(name)} is not JSON`);
    labels.push((flags & OPTIONAL_FLAG) === 0 ? { name, json: value } : { name, json: value, optional: true });
  }
  return labels;
}

function compactJson(text: string): string {
  JSON.parse(text);
  return /\s/.test(text) ? text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1') : text;
}
