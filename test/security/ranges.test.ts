import { once } from 'node:events';
import http from 'node:http';
import { jest } from '@jest/globals';
import { DEFAULT_RANGE_LIMITS } from '../../src/context/range/index.js';
import { ArchiveSource } from '../../src/sources/archive/index.js';
import { type ArchiveApi, archiveApi } from '../support/archive-gateway.js';

const RANGE = '/pmapi/fetch?archive=built&names=test.counter,test.gauge&format=';

let served: ArchiveApi;
afterEach(async () => {
  jest.restoreAllMocks();
  await served.stop();
});

describe('a range whose client has left', () => {
  it.each(['rows', 'columns', 'ndjson', 'csv'])('is read no more, as %s', async (format) => {
    served = await archiveApi();
    const { api } = served;
    const context = api.gateway.contexts.use(await api.context('?archive=built'));
    const request = http.get(`${api.url}${RANGE}${format}`.replace('archive=built', `context=${context.id}`));
    request.on('error', () => undefined);
    const asked = new Promise<AbortSignal>((resolve) => {
      jest.spyOn(context.fetching, 'range').mockImplementation(async (_plan, _parameters, settings) => {
        const signal = settings!.signal!;
        resolve(signal);
        await once(signal, 'abort');
        throw signal.reason;
      });
    });
    const signal = await asked;
    expect(signal.aborted).toBe(false);
    request.destroy();
    if (!signal.aborted) await once(signal, 'abort');
    expect(api.defects).toEqual([]);
  });
});

describe('a range that holds far more than it may read', () => {
  it.each(['rows', 'columns', 'ndjson', 'csv'])('is refused before any of it is read, as %s', async (format) => {
    served = await archiveApi({ ranges: { ...DEFAULT_RANGE_LIMITS, values: 8 } });
    const read = jest.spyOn(ArchiveSource.prototype, 'batches');
    const { status, json } = await served.api.get(`${RANGE}${format}`);
    expect({ status, code: json.code }).toEqual({ status: 413, code: 'LIMIT_EXCEEDED' });
    expect(json.message).toContain('the range has about');
    expect(read).not.toHaveBeenCalled();
  });
});
