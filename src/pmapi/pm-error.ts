/** Each PM_ERR code with the message that PCP prints for it. @see pmErrStr(3) */
const CODES = {
  GENERIC: [-12345, 'Generic error, already reported above'],
  PMNS: [-12346, 'Problems parsing PMNS definitions'],
  NOPMNS: [-12347, 'PMNS not accessible'],
  DUPPMNS: [-12348, 'Attempt to reload the PMNS'],
  TEXT: [-12349, 'One-line or help text is not available'],
  APPVERSION: [-12350, 'Metric not supported by this version of monitored application'],
  VALUE: [-12351, 'Missing metric value(s)'],
  TIMEOUT: [-12353, 'Timeout waiting for a response from PMCD'],
  NODATA: [-12354, 'Empty archive log file'],
  RESET: [-12355, 'PMCD reset or configuration change'],
  NAME: [-12357, 'Unknown metric name'],
  PMID: [-12358, 'Unknown or illegal metric identifier'],
  INDOM: [-12359, 'Unknown or illegal instance domain identifier'],
  INST: [-12360, 'Unknown or illegal instance identifier'],
  TYPE: [-12397, 'Unknown or illegal metric type'],
  UNIT: [-12361, 'Illegal pmUnits specification'],
  CONV: [-12362, 'Impossible value or scale conversion'],
  TRUNC: [-12363, 'Truncation in value conversion'],
  SIGN: [-12364, 'Negative value in conversion to unsigned'],
  PROFILE: [-12365, 'Explicit instance identifier(s) required'],
  IPC: [-12366, 'IPC protocol failure'],
  TLS: [-12414, 'TLS protocol failure'],
  EOF: [-12368, 'IPC channel closed'],
  NOTHOST: [-12369, 'Operation requires context with host source of metrics'],
  EOL: [-12370, 'End of PCP archive log'],
  MODE: [-12371, 'Illegal mode specification'],
  LABEL: [-12372, 'Illegal label record at start of a PCP archive log file'],
  LOGREC: [-12373, 'Corrupted record in a PCP archive log'],
  LOGFILE: [-12375, 'Missing PCP archive log file'],
  NOTARCHIVE: [-12374, 'Operation requires context with archive source of metrics'],
  NOCONTEXT: [-12376, 'Attempt to use an illegal context'],
  PROFILESPEC: [-12377, 'NULL pmInDom with non-NULL instlist'],
  PMID_LOG: [-12378, 'Metric not defined in the PCP archive log'],
  INDOM_LOG: [-12379, 'Instance domain identifier not defined in the PCP archive log'],
  INST_LOG: [-12380, 'Instance identifier not defined in the PCP archive log'],
  NOPROFILE: [-12381, 'Missing profile - protocol botch'],
  NOAGENT: [-12386, 'No PMCD agent for domain of request'],
  PERMISSION: [-12387, 'No permission to perform requested operation'],
  CONNLIMIT: [-12388, 'PMCD connection limit for this host exceeded'],
  AGAIN: [-12389, 'Try again. Information not currently available'],
  ISCONN: [-12390, 'Already Connected'],
  NOTCONN: [-12391, 'Not Connected'],
  NEEDPORT: [-12392, 'A non-null port name is required'],
  NONLEAF: [-12394, 'Metric name is not a leaf in PMNS'],
  PMDANOTREADY: [-13394, 'PMDA is not yet ready to respond to requests'],
  PMDAREADY: [-13393, 'PMDA is now responsive to requests'],
  BOTCH: [-12442, 'Internal inconsistency detected or assertion failed'],
  TOOSMALL: [-12443, 'Insufficient elements in list'],
  TOOBIG: [-12444, 'Result size exceeded'],
  FAULT: [-12445, 'QA fault injected'],
  THREAD: [-12398, 'Operation not supported for multi-threaded applications'],
  NOCONTAINER: [-12399, 'Container not found'],
  BADSTORE: [-12400, 'Bad input to pmstore'],
  LOGOVERLAP: [-12401, 'Archives overlap in time'],
  LOGHOST: [-12402, 'Archives differ by host'],
  LOGCHANGETYPE: [-12404, 'The type of a metric has changed in an archive'],
  LOGCHANGESEM: [-12405, 'The semantics of a metric has changed in an archive'],
  LOGCHANGEINDOM: [-12406, 'The instance domain of a metric has changed in an archive'],
  LOGCHANGEUNITS: [-12407, 'The units of a metric have changed in an archive'],
  NEEDCLIENTCERT: [-12408, 'PMCD requires a client certificate'],
  BADDERIVE: [-12409, 'Derived metric definition failed'],
  NOLABELS: [-12410, 'No support for metric label metadata'],
  PMDAFENCED: [-12411, 'PMDA is currently fenced and unable to respond to requests'],
  RECTYPE: [-12412, 'Incorrect record type in an archive'],
  FEATURE: [-12413, 'Archive feature not supported'],
  NYI: [-21344, 'Functionality not yet implemented'],
} as const;
export type PmErrName = keyof typeof CODES;

/** The PM_ERR codes: data in results, or a {@link PmError} for a whole request. Other codes are negated errnos. @see pmErrStr(3) */
export const PM_ERR = Object.fromEntries(Object.entries(CODES).map(([name, [code]]) => [name, code])) as {
  readonly [Name in PmErrName]: (typeof CODES)[Name][0];
};

/** Negated errno values that PCP passes on, with the C library's texts. */
const ERRNO: ReadonlyMap<number, string> = new Map([
  [-1, 'Operation not permitted'],
  [-2, 'No such file or directory'],
  [-3, 'No such process'],
  [-4, 'Interrupted system call'],
  [-5, 'Input/output error'],
  [-7, 'Argument list too long'],
  [-9, 'Bad file descriptor'],
  [-11, 'Resource temporarily unavailable'],
  [-12, 'Cannot allocate memory'],
  [-13, 'Permission denied'],
  [-17, 'File exists'],
  [-19, 'No such device'],
  [-20, 'Not a directory'],
  [-21, 'Is a directory'],
  [-22, 'Invalid argument'],
  [-24, 'Too many open files'],
  [-32, 'Broken pipe'],
  [-34, 'Numerical result out of range'],
  [-38, 'Function not implemented'],
  [-71, 'Protocol error'],
  [-95, 'Operation not supported'],
  [-104, 'Connection reset by peer'],
  [-110, 'Connection timed out'],
  [-111, 'Connection refused'],
  [-112, 'Host is down'],
  [-113, 'No route to host'],
]);

const MESSAGES: ReadonlyMap<number, string> = new Map(Object.values(CODES));

/** The message that PCP prints for a code. @see pmErrStr(3) */
export function formatPmErr(code: number): string {
  return MESSAGES.get(code) ?? ERRNO.get(code) ?? `No such PMAPI error code (${code})`;
}

/** A request to a source failed as a whole. Errors of single metrics are the `status` of a value set. */
export class PmError extends Error {
  override readonly name = 'PmError';
  readonly pmErr: number;

  constructor(pmErr: number, detail?: string, options?: ErrorOptions) {
    super(detail === undefined ? formatPmErr(pmErr) : `${detail} - ${formatPmErr(pmErr)}`, options);
    this.pmErr = pmErr;
  }
}

/** For `.catch()`: replaces a PmError (the source does not have it) by a value: `.catch(onPmError(() => NOTHING))`. */
export function onPmError<T>(instead: (error: PmError) => T): (error: unknown) => T {
  return (error) => {
    if (error instanceof PmError) return instead(error);
    throw error;
  };
}
