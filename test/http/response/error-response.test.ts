import { ERROR_CATALOGUE, type ErrorCode, GatewayError, PM_ERR, PmError } from '../../../src/pmapi/index.js';
import { errorBody, viewError } from '../../../src/http/response/error-response.js';

describe('viewError', () => {
  it.each<[number, number, ErrorCode]>([
    [PM_ERR.NAME, 404, 'UNKNOWN_METRIC'],
    [PM_ERR.NONLEAF, 400, 'NOT_A_LEAF'],
    [PM_ERR.PMID, 404, 'UNKNOWN_METRIC'],
    [PM_ERR.PMID_LOG, 404, 'UNKNOWN_METRIC'],
    [PM_ERR.INDOM, 404, 'UNKNOWN_INDOM'],
    [PM_ERR.INDOM_LOG, 404, 'UNKNOWN_INDOM'],
    [PM_ERR.INST, 404, 'UNKNOWN_INSTANCE'],
    [PM_ERR.NOAGENT, 503, 'UNAVAILABLE'],
    [PM_ERR.AGAIN, 503, 'UNAVAILABLE'],
    [PM_ERR.PMDAFENCED, 503, 'UNAVAILABLE'],
    [PM_ERR.PMDANOTREADY, 503, 'UNAVAILABLE'],
    [PM_ERR.PERMISSION, 403, 'FORBIDDEN'],
    [PM_ERR.NOCONTEXT, 404, 'UNKNOWN_CONTEXT'],
    [-111, 503, 'SOURCE_UNREACHABLE'],
    [-113, 503, 'SOURCE_UNREACHABLE'],
    [PM_ERR.TIMEOUT, 504, 'SOURCE_TIMEOUT'],
    [-110, 504, 'SOURCE_TIMEOUT'],
    [PM_ERR.IPC, 503, 'SOURCE_FAILED'],
    [PM_ERR.EOF, 503, 'SOURCE_FAILED'],
    [PM_ERR.NOTHOST, 400, 'WRONG_CONTEXT'],
    [PM_ERR.NOTARCHIVE, 400, 'WRONG_CONTEXT'],
    [PM_ERR.CONV, 400, 'CONVERSION'],
    [PM_ERR.BADDERIVE, 422, 'SEMANTIC_ERROR'],
    [-9999, 503, 'SOURCE_FAILED'],
  ])('of PM_ERR %d is %d %s', (pmErr, status, code) => {
    expect(viewError(new PmError(pmErr))).toMatchObject({ status, code, details: { pmErr } });
  });

  it.each([PM_ERR.AGAIN, PM_ERR.PMDANOTREADY])('of PM_ERR %d tells when to ask again', (pmErr) => {
    expect(viewError(new PmError(pmErr)).details).toEqual({ pmErr, retryAfterSec: 1 });
  });

  it.each([
    ['of the system', Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })],
    ['of another realm', { code: 'ENFILE' }],
    ['behind another', new PmError(-24, 'root', { cause: { code: 'EMFILE' } })],
    [
      'behind several',
      new GatewayError('BAD_ARCHIVE', 'x', {}, { cause: new Error('y', { cause: { code: 'EMFILE' } }) }),
    ],
  ])('of no descriptor left is 503 with a word on what to do: %s', (_, error) => {
    expect(viewError(error)).toMatchObject({ status: 503, code: 'OVERLOADED', details: { retryAfterSec: 1 } });
    expect(viewError(error).message).toContain('file descriptor');
  });

  it('of a host that cannot be reached tells no reason', () => {
    const error = new GatewayError('SOURCE_UNREACHABLE', 'no route', {}, { cause: { code: 'EMFILE' } });
    expect(viewError(error)).toMatchObject({ code: 'SOURCE_UNREACHABLE', message: 'no route' });
  });

  it('of no descriptor left at a host is the host’s', () => {
    expect(viewError(new PmError(-24)).code).toBe('SOURCE_FAILED');
    const round = new Error('round', { cause: undefined });
    round.cause = round;
    expect(viewError(round).code).toBe('INTERNAL');
  });

  it('tells overload from a source that failed by the code: both are 503', () => {
    const codes = (['OVERLOADED', 'UNAVAILABLE', 'SOURCE_FAILED', 'SOURCE_UNREACHABLE'] as const).map((code) => {
      const view = viewError(new GatewayError(code, 'why'));
      return [view.status, (JSON.parse(errorBody(view)) as { code: string }).code];
    });
    expect(codes).toEqual([
      [503, 'OVERLOADED'],
      [503, 'UNAVAILABLE'],
      [503, 'SOURCE_FAILED'],
      [503, 'SOURCE_UNREACHABLE'],
    ]);
  });

  it('of a GatewayError is what the catalogue says', () => {
    for (const code of Object.keys(ERROR_CATALOGUE) as ErrorCode[]) {
      const details = { parameter: 'p', expected: 'e', position: { offset: 1, line: 1, column: 2 } };
      expect(viewError(new GatewayError(code, 'why', details))).toEqual({
        code,
        status: ERROR_CATALOGUE[code].status,
        message: 'why',
        details,
      });
    }
  });

  it('of anything else says nothing of it', () => {
    for (const error of [new Error('secret'), 'secret', undefined, null]) {
      expect(JSON.stringify(viewError(error))).toBe(
        '{"code":"INTERNAL","status":500,"message":"internal error","details":{}}',
      );
    }
  });
});

describe('errorBody', () => {
  it('begins as pmproxy does', () => {
    const view = viewError(new GatewayError('BAD_PARAMETER', 'no', { parameter: 'x' }));
    expect(errorBody(view, { context: 5, client: 'x' })).toBe(
      '{"context":5,"client":"x","message":"no","success":false,"code":"BAD_PARAMETER","parameter":"x"}\r\n',
    );
    expect(errorBody(view)).toBe('{"message":"no","success":false,"code":"BAD_PARAMETER","parameter":"x"}\r\n');
  });
});
