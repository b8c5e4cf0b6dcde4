import { ERROR_CATALOGUE, formatPmErr, GatewayError, PM_ERR, PmError } from '../../src/pmapi/index.js';
import type { ErrorCode, PmErrName } from '../../src/pmapi/index.js';

describe('the PM_ERR table', () => {
  it('has a code and a message of its own for every name', () => {
    const codes = Object.values(PM_ERR);
    expect(new Set(codes).size).toBe(codes.length);
    expect(new Set(codes.map(formatPmErr)).size).toBe(codes.length);
    for (const code of codes) expect(formatPmErr(code)).not.toContain('No such');
  });

  it.each<[PmErrName, number, string]>([
    ['NAME', -12357, 'Unknown metric name'],
    ['PMID', -12358, 'Unknown or illegal metric identifier'],
    ['EOL', -12370, 'End of PCP archive log'],
    ['NONLEAF', -12394, 'Metric name is not a leaf in PMNS'],
    ['TYPE', -12397, 'Unknown or illegal metric type'],
    ['PMDANOTREADY', -13394, 'PMDA is not yet ready to respond to requests'],
    ['NYI', -21344, 'Functionality not yet implemented'],
  ])('%s is %d: %s', (name, code, message) => {
    expect(PM_ERR[name]).toBe(code);
    expect(formatPmErr(code)).toBe(message);
  });

  it('knows negated errno values, and admits what it does not know', () => {
    expect(formatPmErr(-111)).toBe('Connection refused');
    expect(formatPmErr(-99999)).toBe('No such PMAPI error code (-99999)');
  });
});

describe('PmError', () => {
  it('carries the code, with what it concerns in front of the message', () => {
    const error = new PmError(PM_ERR.NAME, 'no.such', { cause: 1 });
    expect([error.pmErr, error.message, error.name, error.cause]).toEqual([
      PM_ERR.NAME,
      'no.such - Unknown metric name',
      'PmError',
      1,
    ]);
  });
});

describe('the error catalogue', () => {
  it('gives each code a client or server error status and a sentence', () => {
    for (const [code, { status, meaning }] of Object.entries(ERROR_CATALOGUE)) {
      expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
      // Grafana's PCP plugin shows "Network Error: Bad Gateway" for every 502, and the message of everything else.
      expect(status).not.toBe(502);
      expect(meaning).toMatch(/^[A-Z`].*\.$/);
      expect(new GatewayError(code as ErrorCode, 'x').httpStatus).toBe(status);
    }
  });
});
