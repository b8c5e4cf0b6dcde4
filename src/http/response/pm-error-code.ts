import { PM_ERR, type ErrorCode } from '../../pmapi/index.js';

/** The PM_ERR codes, and negated errnos, of each error in the catalog for clients. */
const PM_ERRS_OF: Partial<Record<ErrorCode, readonly number[]>> = {
  UNKNOWN_METRIC: [PM_ERR.NAME, PM_ERR.PMID, PM_ERR.PMID_LOG],
  NOT_A_LEAF: [PM_ERR.NONLEAF],
  UNKNOWN_INDOM: [PM_ERR.INDOM, PM_ERR.INDOM_LOG],
  UNKNOWN_INSTANCE: [PM_ERR.INST, PM_ERR.INST_LOG],
  UNAVAILABLE: [PM_ERR.NOAGENT, PM_ERR.AGAIN, PM_ERR.PMDAFENCED, PM_ERR.PMDANOTREADY, PM_ERR.CONNLIMIT],
  FORBIDDEN: [PM_ERR.PERMISSION, -1, -13],
  UNKNOWN_CONTEXT: [PM_ERR.NOCONTEXT],
  SOURCE_TIMEOUT: [PM_ERR.TIMEOUT, -110],
  SOURCE_UNREACHABLE: [-111, -112, -113],
  WRONG_CONTEXT: [PM_ERR.NOTHOST, PM_ERR.NOTARCHIVE, PM_ERR.MODE],
  CONVERSION: [PM_ERR.UNIT, PM_ERR.CONV, PM_ERR.TRUNC, PM_ERR.SIGN],
  BAD_PARAMETER: [PM_ERR.TYPE, PM_ERR.TOOSMALL, PM_ERR.BADSTORE, -34],
  SEMANTIC_ERROR: [PM_ERR.BADDERIVE],
  LIMIT_EXCEEDED: [PM_ERR.TOOBIG],
  UNKNOWN_ARCHIVE: [-2, PM_ERR.LOGFILE],
  END_OF_ARCHIVE: [PM_ERR.EOL],
  BAD_ARCHIVE: [
    PM_ERR.LABEL,
    PM_ERR.LOGREC,
    PM_ERR.NODATA,
    PM_ERR.RECTYPE,
    PM_ERR.FEATURE,
    PM_ERR.LOGOVERLAP,
    PM_ERR.LOGHOST,
    PM_ERR.LOGCHANGETYPE,
    PM_ERR.LOGCHANGESEM,
    PM_ERR.LOGCHANGEINDOM,
    PM_ERR.LOGCHANGEUNITS,
  ],
};

const CODES: ReadonlyMap<number, ErrorCode> = new Map(
  Object.entries(PM_ERRS_OF).flatMap(([code, pmErrs]) => pmErrs.map((pmErr) => [pmErr, code as ErrorCode])),
);

/** The catalog's code for a PM_ERR code; SOURCE_FAILED for those that concern the source alone. */
export function errorCodeOfPmErr(pmErr: number): ErrorCode {
  return CODES.get(pmErr) ?? 'SOURCE_FAILED';
}
