import { createLog } from '../src/log.js';
import { FakeClock } from './support/fake-clock.js';

async function setUp(level: 'info' | 'warn' = 'info') {
  const lines: Record<string, unknown>[] = [];
  const clock = new FakeClock();
  const log = await createLog(level, clock, { write: (line) => lines.push(JSON.parse(line) as never) });
  return { log, lines, clock };
}

describe('createLog', () => {
  it('writes one JSON object a line, with time, level, message and fields', async () => {
    const { log, lines } = await setUp();
    log.info('listening', { port: 44322 });
    expect(lines).toEqual([{ level: 30, time: expect.stringMatching(/^\d{4}-.*Z$/), port: 44322, msg: 'listening' }]);
  });

  it('keeps text from a client in one line, whatever it holds', async () => {
    const raw: string[] = [];
    const log = await createLog('info', new FakeClock(), { write: (line) => raw.push(line) });
    log.warn('bad request', { url: '/x\r\n{"level":50,"msg":"forged"}\u001b[31m' });
    expect(raw).toHaveLength(1);
    expect(raw[0]!.trimEnd()).not.toMatch(/\p{Cc}/u);
  });

  it('keeps silent below its level, and the level may change', async () => {
    const { log, lines } = await setUp('warn');
    log.info('hidden');
    log.level = 'info';
    log.info('seen');
    expect(lines.map((l) => l.msg)).toEqual(['seen']);
  });

  it('writes errors with type, message and stack', async () => {
    const { log, lines } = await setUp();
    log.error('request failed', { err: new RangeError('boom') });
    expect(lines[0]!.err).toMatchObject({
      type: 'RangeError',
      message: 'boom',
      stack: expect.stringContaining('boom'),
    });
  });

  it('limits warnings of one cause, and says how many it left out', async () => {
    const { log, lines, clock } = await setUp();
    for (let i = 0; i < 100; i++) log.warn('source failed', { i });
    log.warn('another cause');
    expect(lines).toHaveLength(6);
    clock.advance(60_001);
    log.warn('source failed', { i: 100 });
    expect(lines.at(-1)).toMatchObject({ msg: 'source failed', i: 100, suppressed: 95 });
  });

  it('does not limit information', async () => {
    const { log, lines } = await setUp();
    for (let i = 0; i < 100; i++) log.info('request');
    expect(lines).toHaveLength(100);
  });
});
