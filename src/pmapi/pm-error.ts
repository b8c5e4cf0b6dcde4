/** The PM_ERR codes: data in results, or a {@link PmError} for a whole request. Other codes are negated errnos. @see pmErrStr(3) */
export const PM_ERR = {
  GENERIC: -12345,
  PMNS: -12346,
  NOPMNS: -12347,
  DUPPMNS: -12348,
  TEXT: -12349,
  APPVERSION: -12350,
  VALUE: -12351,
  TIMEOUT: -12353,
  NODATA: -12354,
  RESET: -12355,
  NAME: -12357,
  PMID: -12358,
  INDOM: -12359,
  INST: -12360,
  TYPE: -12397,
  UNIT: -12361,
  CONV: -12362,
  TRUNC: -12363,
  SIGN: -12364,
  PROFILE: -12365,
  IPC: -12366,
  TLS: -12414,
  EOF: -12368,
  NOTHOST: -12369,
  EOL: -12370,
  MODE: -12371,
  LABEL: -12372,
  LOGREC: -12373,
  LOGFILE: -12375,
  NOTARCHIVE: -12374,
  NOCONTEXT: -12376,
  PROFILESPEC: -12377,
  PMID_LOG: -12378,
  INDOM_LOG: -12379,
  INST_LOG: -12380,
  NOPROFILE: -12381,
  NOAGENT: -12386,
  PERMISSION: -12387,
  CONNLIMIT: -12388,
  AGAIN: -12389,
  ISCONN: -12390,
  NOTCONN: -12391,
  NEEDPORT: -12392,
  NONLEAF: -12394,
  PMDANOTREADY: -13394,
  PMDAREADY: -13393,
  BOTCH: -12442,
  TOOSMALL: -12443,
  TOOBIG: -12444,
  FAULT: -12445,
  THREAD: -12398,
  NOCONTAINER: -12399,
  BADSTORE: -12400,
  LOGOVERLAP: -12401,
  LOGHOST: -12402,
  LOGCHANGETYPE: -12404,
  LOGCHANGESEM: -12405,
  LOGCHANGEINDOM: -12406,
  LOGCHANGEUNITS: -12407,
  NEEDCLIENTCERT: -12408,
  BADDERIVE: -12409,
  NOLABELS: -12410,
  PMDAFENCED: -12411,
  RECTYPE: -12412,
  FEATURE: -12413,
  NYI: -21344,
} as const;
export type PmErrName = keyof typeof PM_ERR;

const MESSAGES: Readonly<Record<PmErrName, string>> = {
  GENERIC: 'Generic error, already reported above',
  PMNS: 'Problems parsing PMNS definitions',
  NOPMNS: 'PMNS not accessible',
  DUPPMNS: 'Attempt to reload the PMNS',
  TEXT: 'One-line or help text is not available',
  APPVERSION: 'Metric not supported by this version of monitored application',
  VALUE: 'Missing metric value(s)',
  TIMEOUT: 'Timeout waiting for a response from PMCD',
  NODATA: 'Empty archive log file',
  RESET: 'PMCD reset or configuration change',
  NAME: 'Unknown metric name',
  PMID: 'Unknown or illegal metric identifier',
  INDOM: 'Unknown or illegal instance domain identifier',
  INST: 'Unknown or illegal instance identifier',
  TYPE: 'Unknown or illegal metric type',
  UNIT: 'Illegal pmUnits specification',
  CONV: 'Impossible value or scale conversion',
  TRUNC: 'Truncation in value conversion',
  SIGN: 'Negative value in conversion to unsigned',
  PROFILE: 'Explicit instance identifier(s) required',
  IPC: 'IPC protocol failure',
  TLS: 'TLS protocol failure',
  EOF: 'IPC channel closed',
  NOTHOST: 'Operation requires context with host source of metrics',
  EOL: 'End of PCP archive log',
  MODE: 'Illegal mode specification',
  LABEL: 'Illegal label record at start of a PCP archive log file',
  LOGREC: 'Corrupted record in a PCP archive log',
  LOGFILE: 'Missing PCP archive log file',
  NOTARCHIVE: 'Operation requires context with archive source of metrics',
  NOCONTEXT: 'Attempt to use an illegal context',
  PROFILESPEC: 'NULL pmInDom with non-NULL instlist',
  PMID_LOG: 'Metric not defined in the PCP archive log',
  INDOM_LOG: 'Instance domain identifier not defined in the PCP archive log',
  INST_LOG: 'Instance identifier not defined in the PCP archive log',
  NOPROFILE: 'Missing profile - protocol botch',
  NOAGENT: 'No PMCD agent for domain of request',
  PERMISSION: 'No permission to perform requested operation',
  CONNLIMIT: 'PMCD connection limit for this host exceeded',
  AGAIN: 'Try again. Information not currently available',
  ISCONN: 'Already Connected',
  NOTCONN: 'Not Connected',
  NEEDPORT: 'A non-null port name is required',
  NONLEAF: 'Metric name is not a leaf in PMNS',
  PMDANOTREADY: 'PMDA is not yet ready to respond to requests',
  PMDAREADY: 'PMDA is now responsive to requests',
  BOTCH: 'Internal inconsistency detected or assertion failed',
  TOOSMALL: 'Insufficient elements in list',
  TOOBIG: 'Result size exceeded',
  FAULT: 'QA fault injected',
  THREAD: 'Operation not supported for multi-threaded applications',
  NOCONTAINER: 'Container not found',
  BADSTORE: 'Bad input to pmstore',
  LOGOVERLAP: 'Archives overlap in time',
  LOGHOST: 'Archives differ by host',
  LOGCHANGETYPE: 'The type of a metric has changed in an archive',
  LOGCHANGESEM: 'The semantics of a metric has changed in an archive',
  LOGCHANGEINDOM: 'The instance domain of a metric has changed in an archive',
  LOGCHANGEUNITS: 'The units of a metric have changed in an archive',
  NEEDCLIENTCERT: 'PMCD requires a client certificate',
  BADDERIVE: 'Derived metric definition failed',
  NOLABELS: 'No support for metric label metadata',
  PMDAFENCED: 'PMDA is currently fenced and unable to respond to requests',
  RECTYPE: 'Incorrect record type in an archive',
  FEATURE: 'Archive feature not supported',
  NYI: 'Functionality not yet implemented',
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

const NAMES: ReadonlyMap<number, PmErrName> = new Map(
  Object.entries(PM_ERR).map(([name, code]) => [code, name as PmErrName]),
);

/** The message that PCP prints for a code. @see pmErrStr(3) */
export function formatPmErr(code: number): string {
  const name = NAMES.get(code);
  if (name) return MESSAGES[name];
  return ERRNO.get(code) ?? `No such PMAPI error code (${code})`;
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
