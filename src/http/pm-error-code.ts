import { PM_ERR } from '../pmapi/index.js';
import type { ErrorCode } from '../pmapi/index.js';

/** Which error of the catalogue a PM_ERR code, or a negated errno, is to clients. */
const CODES: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [PM_ERR.NAME, 'UNKNOWN_METRIC'],
  [PM_ERR.PMID, 'UNKNOWN_METRIC'],
  [PM_ERR.PMID_LOG, 'UNKNOWN_METRIC'],
  [PM_ERR.NONLEAF, 'NOT_A_LEAF'],
  [PM_ERR.INDOM, 'UNKNOWN_INDOM'],
  [PM_ERR.INDOM_LOG, 'UNKNOWN_INDOM'],
  [PM_ERR.INST, 'UNKNOWN_INSTANCE'],
  [PM_ERR.INST_LOG, 'UNKNOWN_INSTANCE'],
  [PM_ERR.NOAGENT, 'UNAVAILABLE'],
  [PM_ERR.AGAIN, 'UNAVAILABLE'],
  [PM_ERR.PMDAFENCED, 'UNAVAILABLE'],
  [PM_ERR.PMDANOTREADY, 'UNAVAILABLE'],
  [PM_ERR.CONNLIMIT, 'UNAVAILABLE'],
  [PM_ERR.PERMISSION, 'FORBIDDEN'],
  [-1, 'FORBIDDEN'],
  [-13, 'FORBIDDEN'],
  [PM_ERR.NOCONTEXT, 'UNKNOWN_CONTEXT'],
  [PM_ERR.TIMEOUT, 'SOURCE_TIMEOUT'],
  [-110, 'SOURCE_TIMEOUT'],
  [-111, 'SOURCE_UNREACHABLE'],
  [-112, 'SOURCE_UNREACHABLE'],
  [-113, 'SOURCE_UNREACHABLE'],
  [PM_ERR.NOTHOST, 'WRONG_CONTEXT'],
  [PM_ERR.NOTARCHIVE, 'WRONG_CONTEXT'],
  [PM_ERR.MODE, 'WRONG_CONTEXT'],
  [PM_ERR.UNIT, 'CONVERSION'],
  [PM_ERR.CONV, 'CONVERSION'],
  [PM_ERR.TRUNC, 'CONVERSION'],
  [PM_ERR.SIGN, 'CONVERSION'],
  [PM_ERR.TYPE, 'BAD_PARAMETER'],
  [PM_ERR.TOOSMALL, 'BAD_PARAMETER'],
  [PM_ERR.BADDERIVE, 'SEMANTIC_ERROR'],
  [PM_ERR.BADSTORE, 'BAD_PARAMETER'],
  [PM_ERR.TOOBIG, 'LIMIT_EXCEEDED'],
  [-2, 'UNKNOWN_ARCHIVE'],
  [-34, 'BAD_PARAMETER'],
]);

/** The catalogue's code for a PM_ERR code; SOURCE_FAILED for those that concern the source alone. */
export function errorCodeOfPmErr(pmErr: number): ErrorCode {
  return CODES.get(pmErr) ?? 'SOURCE_FAILED';
}
