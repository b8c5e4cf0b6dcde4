import { MetricType, PM_ERR, PmError, type LabelTarget, type ValueSet } from '../../pmapi/index.js';
import type { HelpLevel, HelpTarget } from '../metric-source.js';
import type { InstanceProfile } from '../profile.js';
import { ByteWriter, encodeValueSets, LABEL_TYPES, labelIdent, viewOf } from '../wire/index.js';
import { formatPduType, MAX_REQUEST_BYTES, PDU_HEADER_BYTES, PduType } from './pdu-types.js';

const PROTOCOL_VERSION = 2;
const CVERSION = 1;

/** A PDU from its header on, and its first words. */
function begin(type: PduType, ...words: readonly number[]): ByteWriter {
  return new ByteWriter().words(0, type, process.pid, ...words);
}

/** Puts the length in place; throws PM_ERR_TOOBIG rather than make pmcd drop the connection. */
function finish(writer: ByteWriter): Uint8Array {
  const { length } = writer;
  const pdu = writer.patchI32(0, length).finish();
  if (length <= MAX_REQUEST_BYTES) return pdu;
  const type = formatPduType(viewOf(pdu).getInt32(4));
  throw new PmError(PM_ERR.TOOBIG, `a ${type} request of ${length} bytes, pmcd accepts ${MAX_REQUEST_BYTES}`);
}

/** CREDS: of the features only SECURE, SECURE_ACK, AUTH and CONTAINER may be requested: for others pmcd refuses. */
export function encodeCreds(features: number): Uint8Array {
  return finish(begin(PduType.CREDS, 1).u8(CVERSION).u8(PROTOCOL_VERSION).u16(features));
}

/** ATTR: one connection attribute, or one step of SASL. Not padded. */
export function encodeAttribute(attribute: number, value: Uint8Array): Uint8Array {
  return finish(begin(PduType.ATTR, attribute).bytes(value));
}

/** PROFILE: which instances fetches in `slot` see, from now on in this connection. Not answered. @see pmAddProfile(3) */
export function encodeProfile(slot: number, profile: InstanceProfile): Uint8Array {
  const { indoms } = profile;
  const state = (included: boolean): number => (included ? 0 : 1);
  const writer = begin(PduType.PROFILE, slot, state(profile.defaultIncluded), indoms.length, 0);
  for (const rule of indoms) writer.words(rule.indom, state(rule.state === 'include'), rule.listed.size, 0);
  for (const rule of indoms) for (const instance of rule.listed) writer.i32(instance);
  return finish(writer);
}

/** FETCH or HIGHRES_FETCH, for the instances of the profile in `slot`. @see pmFetch(3) */
export function encodeFetch(slot: number, pmids: ArrayLike<number>, highres: boolean): Uint8Array {
  const writer = begin(highres ? PduType.HIGHRES_FETCH : PduType.FETCH, slot, 0, 0, pmids.length);
  for (let i = 0; i < pmids.length; i++) writer.u32(pmids[i]!);
  return finish(writer);
}

/** DESC_REQ: the descriptor of one metric. */
export function encodeDescriptorRequest(pmid: number): Uint8Array {
  return finish(begin(PduType.DESC_REQ, pmid));
}

/** DESC_IDS: the descriptors of many metrics, where pmcd announces DESCS. */
export function encodeDescriptorsRequest(pmids: readonly number[]): Uint8Array {
  const writer = begin(PduType.DESC_IDS, -1, pmids.length);
  for (const pmid of pmids) writer.u32(pmid);
  return finish(writer);
}

/** INSTANCE_REQ for all of a domain. @see pmGetInDom(3) */
export function encodeInstanceRequest(indom: number): Uint8Array {
  return finish(begin(PduType.INSTANCE_REQ, indom, 0, 0, -1, 0));
}

const TEXT_ONELINE = 1;
const TEXT_HELP = 2;
const TEXT_OF_PMID = 4;
const TEXT_OF_INDOM = 8;

/** TEXT_REQ. @see pmLookupText(3) */
export function encodeTextRequest(target: HelpTarget, level: HelpLevel): Uint8Array {
  const ident = target.kind === 'metric' ? target.pmid : target.indom;
  const kind =
    (level === 'oneline' ? TEXT_ONELINE : TEXT_HELP) | (target.kind === 'metric' ? TEXT_OF_PMID : TEXT_OF_INDOM);
  return finish(begin(PduType.TEXT_REQ, ident, kind));
}

/** PMNS_NAMES as a request: the PMIDs of names. Use {@link chunkNames} for lists of unknown size. @see pmLookupName(3) */
export function encodeNamesRequest(names: readonly string[]): Uint8Array {
  const writer = begin(PduType.PMNS_NAMES, 0, 0, names.length);
  let stringBytes = 0;
  for (const name of names) {
    const bytes = Buffer.from(name, 'utf8');
    stringBytes += bytes.length + 1;
    writer.i32(bytes.length).paddedBytes(bytes);
  }
  return finish(writer.patchI32(PDU_HEADER_BYTES, stringBytes));
}

const NAMES_HEADER_BYTES = 24;

/** Cuts a list of names into runs that fit into one request each. */
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
export function encodeIdRequest(pmid: number): Uint8Array {
  return finish(begin(PduType.PMNS_IDS, 0, 1, pmid));
}

/** PMNS_CHILD: the children of a node, with their leaf or non-leaf status. @see pmGetChildrenStatus(3) */
export function encodeChildrenRequest(prefix: string): Uint8Array {
  return encodeNode(PduType.PMNS_CHILD, 1, prefix);
}

/** PMNS_TRAVERSE: all leaves at or below a node. @see pmTraversePMNS(3) */
export function encodeTraverseRequest(prefix: string): Uint8Array {
  return encodeNode(PduType.PMNS_TRAVERSE, 0, prefix);
}

function encodeNode(type: PduType, subtype: number, prefix: string): Uint8Array {
  const bytes = Buffer.from(prefix, 'utf8');
  return finish(begin(type, subtype, bytes.length).paddedBytes(bytes));
}

/** LABEL_REQ. @see pmLookupLabels(3) */
export function encodeLabelRequest(target: LabelTarget): Uint8Array {
  return finish(begin(PduType.LABEL_REQ, labelIdent(target), LABEL_TYPES[target.kind]));
}

/** RESULT as a request: new values for metrics; pmcd ignores the time. Throws PM_ERR_BADSTORE for event records. @see pmStore(3) */
export function encodeStore(sets: readonly ValueSet[]): Uint8Array {
  for (const { status, type } of sets) {
    if (status > 0 && (type < MetricType.I32 || type > MetricType.AGGREGATE_STATIC))
      throw new PmError(PM_ERR.BADSTORE, `values of type ${type} cannot be stored`);
  }
  const writer = begin(PduType.RESULT, 0, 0, sets.length);
  encodeValueSets(writer, sets, 0);
  return finish(writer);
}
