import { requireFewValues } from '../../../../src/http/response/answer.js';
import { FetchResult, INSTANCE_NULL, makePmid, MetricType, PM_ERR } from '../../../../src/pmapi/index.js';
import type { HttpOptions } from '../../../../src/http/index.js';
import { grouped } from '../../../support/api.js';
import { memoryGateway } from '../../../support/memory-gateway.js';

const atMost = (values: number): Pick<HttpOptions, 'limits'> =>
  grouped({ contexts: memoryGateway().contexts, version: '', limits: { values } });

/** Two numbers, a text, an aggregate and an error. */
function fetched(text: string, bytes: number): FetchResult {
  const result = new FetchResult();
  result.resize(4);
  const [numbers, texts, aggregates, failed] = result.sets;
  numbers!.reset(makePmid(60, 0, 1), MetricType.U32);
  for (const instance of [1, 2]) numbers!.addNumber(instance, 7);
  texts!.reset(makePmid(60, 0, 2), MetricType.STRING);
  texts!.addText(INSTANCE_NULL, text);
  aggregates!.reset(makePmid(60, 0, 3), MetricType.AGGREGATE);
  aggregates!.addBytes(INSTANCE_NULL, new Uint8Array(bytes));
  failed!.reset(makePmid(60, 0, 4), MetricType.U32);
  failed!.fail(PM_ERR.AGAIN);
  return result;
}

describe('requireFewValues', () => {
  it.each([
    ['', 0, 4],
    ['a'.repeat(31), 31, 4],
    ['a'.repeat(32), 0, 5],
    ['a'.repeat(3200), 64, 106],
  ])('counts long texts and aggregates as several values (%#)', (text, bytes, count) => {
    const result = fetched(text, bytes);
    expect(() => requireFewValues(result, atMost(count))).not.toThrow();
    expect(() => requireFewValues(result, atMost(count - 1))).toThrow(
      expect.objectContaining({ code: 'LIMIT_EXCEEDED', message: expect.stringContaining(`${count} values`) }) as Error,
    );
  });
});
