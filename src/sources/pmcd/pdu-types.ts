/** Numbers of pmcd's protocol, PDU version 2. The layouts are drawn in PROTOCOL.md. @see pmcd(1) */

export const PduType = {
  ERROR: 0x7000,
  RESULT: 0x7001,
  PROFILE: 0x7002,
  FETCH: 0x7003,
  DESC_REQ: 0x7004,
  DESC: 0x7005,
  INSTANCE_REQ: 0x7006,
  INSTANCE: 0x7007,
  TEXT_REQ: 0x7008,
  TEXT: 0x7009,
  CREDS: 0x700c,
  PMNS_IDS: 0x700d,
  PMNS_NAMES: 0x700e,
  PMNS_CHILD: 0x700f,
  PMNS_TRAVERSE: 0x7010,
  ATTR: 0x7011,
  LABEL_REQ: 0x7012,
  LABEL: 0x7013,
  HIGHRES_FETCH: 0x7014,
  HIGHRES_RESULT: 0x7015,
  DESC_IDS: 0x7016,
  DESCS: 0x7017,
} as const;
export type PduType = (typeof PduType)[keyof typeof PduType];

const TYPE_NAMES: ReadonlyMap<number, string> = new Map(Object.entries(PduType).map(([name, type]) => [type, name]));

/** `DESC_REQ`, or the number in hexadecimal if it is not a PDU type. */
export function formatPduType(type: number): string {
  return TYPE_NAMES.get(type) ?? `0x${(type >>> 0).toString(16)}`;
}

/** The feature bits that pmcd announces in its first PDU; some of them may be requested in CREDS. */
export const Feature = {
  SECURE: 0x0001,
  AUTH: 0x0004,
  CREDS_REQD: 0x0008,
  SECURE_ACK: 0x0010,
  CONTAINER: 0x0040,
  CERT_REQD: 0x0080,
  LABELS: 0x0200,
  HIGHRES: 0x0400,
  DESCS: 0x0800,
} as const;

/** Attribute codes of ATTR PDUs. SASL steps go as 0. */
export const Attribute = { SASL: 0, CONTAINER: 15 } as const;

/** Every PDU begins with its length, type and sender, one word each. */
export const PDU_HEADER_BYTES = 12;

/** The longest PDU that pmcd accepts (`pmcd -L` changes it). */
export const MAX_REQUEST_BYTES = 65536;

const MIB = 1024 * 1024;
const REPLY_BYTES: ReadonlyMap<number, number> = new Map([
  // A process table with all that is requested of it.
  [PduType.RESULT, 64 * MIB],
  [PduType.HIGHRES_RESULT, 64 * MIB],
  // A whole host's PMNS has some 100 KB, a process table of 100,000 some 5 MB.
  [PduType.PMNS_NAMES, 8 * MIB],
  [PduType.INSTANCE, 8 * MIB],
  [PduType.LABEL, 8 * MIB],
  // As many as one request asks for have a third of that.
  [PduType.DESCS, MIB],
  [PduType.PMNS_IDS, MIB],
  // The longest of PCP's own agents have 8 KB.
  [PduType.TEXT, MIB],
]);
const OTHER_REPLY_BYTES = 65536;

/** The maximum length of a reply of a type, in bytes: a longer one is not from a pmcd. */
export function maxReplyBytes(type: number): number {
  return REPLY_BYTES.get(type) ?? OTHER_REPLY_BYTES;
}

export const MAX_TEXT_BYTES = 65536;

/** The maximum number of PMIDs in one fetch: the length limit allows so many, and pmcd 7 no more than 32768. */
export const MAX_FETCH_PMIDS = (MAX_REQUEST_BYTES - 28) / 4;

export const MAX_DESCRIPTOR_PMIDS = (MAX_REQUEST_BYTES - 20) / 4;

/** pmcd 7 knows profile slots 0..63 for each connection (`pmcd -C` changes it). */
export const PROFILE_SLOTS = 64;

export const PMCD_PORT = 44321;

export const PMPROXY_PORT = 44322;

/** The default path of pmcd's Unix socket. */
export const PMCD_SOCKET = '/run/pcp/pmcd.socket';
