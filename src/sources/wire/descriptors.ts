import { decodeUnits, encodeUnits, isMetricType, PM_ERR, PMID_NULL } from '../../pmapi/index.js';
import type { MetricDescriptor, Semantics } from '../../pmapi/index.js';
import type { ByteReader } from './byte-reader.js';
import type { ByteWriter } from './byte-writer.js';

/** Bytes of a descriptor: pmid, type, indom, semantics, units, one word each. */
export const DESCRIPTOR_BYTES = 20;

/**
 * Read a descriptor (20 bytes). A null PMID, which is how a bulk reply says "unknown", gives PM_ERR_PMID; a type that no value
 * can have gives PM_ERR_TYPE. Semantics are passed on as they are, even unknown ones.
 * @see pmLookupDesc(3), LOGARCHIVE(5)
 */
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

/** Write a descriptor: the inverse of {@link decodeDescriptor}. */
export function encodeDescriptor(writer: ByteWriter, descriptor: MetricDescriptor): void {
  writer
    .u32(descriptor.pmid)
    .i32(descriptor.type)
    .u32(descriptor.indom)
    .i32(descriptor.semantics)
    .u32(encodeUnits(descriptor.units));
}
