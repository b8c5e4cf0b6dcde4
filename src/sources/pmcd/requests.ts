import { INDOM_NULL, MetricType, PM_ERR, PmError } from '../../pmapi/index.js';
import type { LabelTarget, ValueSet } from '../../pmapi/index.js';
import type { HelpLevel, HelpTarget } from '../metric-source.js';
import type { InstanceProfile } from '../profile.js';
import { ByteWriter, encodeValueSets } from '../wire/index.js';
import { formatPduType, MAX_REQUEST_BYTES, PDU_HEADER_BYTES, PduType } from './pdu-types.js';

const PROTOCOL_VERSION = 2;
const CVERSION = 1;

/** Begin a PDU: a writer behind its header. */
function begin(type: PduType, capacity = 64): ByteWriter {
  return new ByteWriter(capacity).i32(0).i32(type).i32(process.pid);
}

/** Put the length in place; throws PM_ERR_TOOBIG rather than make pmcd drop the connection. */
function finish(writer: ByteWriter, type: PduType): Buffer {
  if (writer.length > MAX_REQUEST_BYTES) {
    throw new PmError(
      PM_ERR.TOOBIG,
      `a ${formatPduType(type)} request of ${writer.length} bytes, pmcd accepts ${MAX_REQUEST_BYTES}`,
    );
  }
  return writer.patchI32(0, writer.length).finish();
}

/**
 * CREDS: protocol version 2, and the requested features. Only SECURE, SECURE_ACK, AUTH and CONTAINER may be requested;
 * echoing the others makes pmcd refuse.
 */
export function encodeCreds(features: number): Buffer {
  const writer = begin(PduType.CREDS).i32(1).u8(CVERSION).u8(PROTOCOL_VERSION).u16(features);
  return finish(writer, PduType.CREDS);
}

/** ATTR: one connection attribute, or one step of SASL. Not padded. */
export function encodeAttribute(attribute: number, value: Uint8Array): Buffer {
  const writer = begin(PduType.ATTR, 16 + value.length)
    .i32(attribute)
    .bytes(value);
  return finish(writer, PduType.ATTR);
}

/** PROFILE: which instances fetches in `slot` see, from now on in this connection. Not answered. @see pmAddProfile(3) */
export function encodeProfile(slot: number, profile: InstanceProfile): Buffer {
  const { indoms } = profile;
  const state = (included: boolean): number => (included ? 0 : 1);
  const writer = begin(PduType.PROFILE, 28 + 16 * indoms.length)
    .i32(slot)
    .i32(state(profile.defaultIncluded))
    .i32(indoms.length)
    .i32(0);
  for (const rule of indoms) {
    writer
      .u32(rule.indom)
      .i32(state(rule.state === 'include'))
      .i32(rule.listed.size)
      .i32(0);
  }
  for (const rule of indoms) for (const instance of rule.listed) writer.i32(instance);
  return finish(writer, PduType.PROFILE);
}

/** FETCH or HIGHRES_FETCH, for the instances of the profile in `slot`. @see pmFetch(3) */
export function encodeFetch(slot: number, pmids: ArrayLike<number>, highres: boolean): Buffer {
  const type = highres ? PduType.HIGHRES_FETCH : PduType.FETCH;
  const writer = begin(type, 28 + 4 * pmids.length)
    .i32(slot)
    .i32(0)
    .i32(0)
    .i32(pmids.length);
  for (let i = 0; i < pmids.length; i++) writer.u32(pmids[i]!);
  return finish(writer, type);
}

/** DESC_REQ: the descriptor of one metric. */
export function encodeDescriptorRequest(pmid: number): Buffer {
  return finish(begin(PduType.DESC_REQ).u32(pmid), PduType.DESC_REQ);
}

/** DESC_IDS: the descriptors of many metrics, where pmcd announces DESCS. */
export function encodeDescriptorsRequest(pmids: readonly number[]): Buffer {
  const writer = begin(PduType.DESC_IDS, 20 + 4 * pmids.length)
    .i32(-1)
    .i32(pmids.length);
  for (const pmid of pmids) writer.u32(pmid);
  return finish(writer, PduType.DESC_IDS);
}

/** INSTANCE_REQ for all of a domain. @see pmGetInDom(3) */
export function encodeInstanceRequest(indom: number): Buffer {
  const writer = begin(PduType.INSTANCE_REQ, 36).u32(indom).i32(0).i32(0).i32(-1).i32(0);
  return finish(writer, PduType.INSTANCE_REQ);
}

const TEXT_ONELINE = 1;
const TEXT_HELP = 2;
const TEXT_OF_PMID = 4;
const TEXT_OF_INDOM = 8;

/** TEXT_REQ. @see pmLookupText(3) */
export function encodeTextRequest(target: HelpTarget, level: HelpLevel): Buffer {
  const ident = target.kind === 'metric' ? target.pmid : target.indom;
  const kind =
    (level === 'oneline' ? TEXT_ONELINE : TEXT_HELP) | (target.kind === 'metric' ? TEXT_OF_PMID : TEXT_OF_INDOM);
  return finish(begin(PduType.TEXT_REQ).u32(ident).i32(kind), PduType.TEXT_REQ);
}

/** PMNS_NAMES as a request: the PMIDs of names. Use {@link chunkNames} for lists of unknown size. @see pmLookupName(3) */
export function encodeNamesRequest(names: readonly string[]): Buffer {
  const writer = begin(PduType.PMNS_NAMES, 24 + 32 * names.length)
    .i32(0)
    .i32(0)
    .i32(names.length);
  let stringBytes = 0;
  for (const name of names) {
    const bytes = Buffer.from(name, 'utf8');
    stringBytes += bytes.length + 1;
    writer.i32(bytes.length).paddedBytes(bytes);
  }
  return finish(writer.patchI32(PDU_HEADER_BYTES, stringBytes), PduType.PMNS_NAMES);
}

const NAMES_HEADER_BYTES = 24;

/** Cut a list of names into runs that fit into one request each. */
export function chunkNames(names: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let bytes = Infinity;
  for (const name of names) {
    const cost = 8 + Buffer.byteLength(name, 'utf8');
    if (bytes + cost > MAX_REQUEST_BYTES) {
      chunks.push([]);
      bytes = NAMES_HEADER_BYTES;
    }
    chunks.at(-1)!.push(name);
    bytes += cost;
  }
  return chunks;
}

/** PMNS_IDS as a request: all names of one PMID. @see pmNameAll(3) */
export function encodeIdRequest(pmid: number): Buffer {
  return finish(begin(PduType.PMNS_IDS).i32(0).i32(1).u32(pmid), PduType.PMNS_IDS);
}

/** PMNS_CHILD: the children of a node, with their leaf or non-leaf status. @see pmGetChildrenStatus(3) */
export function encodeChildrenRequest(prefix: string): Buffer {
  return encodeNode(PduType.PMNS_CHILD, 1, prefix);
}

/** PMNS_TRAVERSE: all leaves at or below a node. @see pmTraversePMNS(3) */
export function encodeTraverseRequest(prefix: string): Buffer {
  return encodeNode(PduType.PMNS_TRAVERSE, 0, prefix);
}

function encodeNode(type: PduType, subtype: number, prefix: string): Buffer {
  const bytes = Buffer.from(prefix, 'utf8');
  const writer = begin(type, 24 + bytes.length)
    .i32(subtype)
    .i32(bytes.length)
    .paddedBytes(bytes);
  return finish(writer, type);
}

const LABEL_TYPES: Readonly<Record<LabelTarget['kind'], number>> = {
  context: 1,
  domain: 2,
  indom: 4,
  cluster: 8,
  item: 16,
  instances: 32,
};

/** LABEL_REQ. @see pmLookupLabels(3) */
export function encodeLabelRequest(target: LabelTarget): Buffer {
  return finish(begin(PduType.LABEL_REQ).u32(labelIdent(target)).i32(LABEL_TYPES[target.kind]), PduType.LABEL_REQ);
}

/** The number by which a LABEL_REQ and its reply name a target. */
export function labelIdent(target: LabelTarget): number {
  switch (target.kind) {
    case 'context':
      return INDOM_NULL;
    case 'domain':
      return target.domain;
    case 'indom':
    case 'instances':
      return target.indom;
    case 'cluster':
    case 'item':
      return target.pmid;
  }
}

/** RESULT as a request: new values for metrics; pmcd ignores the time. Throws PM_ERR_BADSTORE for event records. @see pmStore(3) */
export function encodeStore(sets: readonly ValueSet[]): Buffer {
  for (const { status, type } of sets) {
    if (status > 0 && (type < MetricType.I32 || type > MetricType.AGGREGATE_STATIC))
      throw new PmError(PM_ERR.BADSTORE, `values of type ${type} cannot be stored`);
  }
  const writer = begin(PduType.RESULT, 256).i32(0).i32(0).i32(sets.length);
  encodeValueSets(writer, sets, 0);
  return finish(writer, PduType.RESULT);
}
