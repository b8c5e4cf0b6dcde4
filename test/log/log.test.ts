import fc from '../support/properties.js';
import { createLog, showControls } from '../../src/log/log.js';
import { FakeClock } from '../support/fake-clock.js';

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

  it('limits neither information nor what the operator waits to hear of', async () => {
    const { log, lines } = await setUp();
    for (let i = 0; i < 100; i++) log.info('request');
    for (let i = 0; i < 100; i++) log.reply('the configuration cannot be used');
    expect(lines).toHaveLength(200);
    expect(lines.at(-1)).toMatchObject({ level: 50, msg: 'the configuration cannot be used' });
  });
});

describe('showControls', () => {
  it('leaves nothing that a terminal would obey, in any text, and stays JSON', () => {
    const unit = fc.oneof(
      fc.string({ maxLength: 3 }),
      fc.constantFrom(
        '\u001b[2J',
        '\u009b31m',
        '\u202e',
        '\u2028',
        '\\',
        '\\u001b',
        '\b',
        '\r',
        '\n',
        '"',
        '\u0000',
        '\u007f',
      ),
    );
    const text = fc.array(unit, { maxLength: 8 }).map((units) => units.join(''));
    fc.assert(
      fc.property(text, text, (name, value) => {
        const shown = JSON.parse(showControls(JSON.stringify({ [`k${name}`]: value }))) as Record<string, string>;
        const all = JSON.stringify(Object.entries(shown)).replaceAll(/\\\\|\\n|\\t/g, '');

        expect(all).not.toMatch(/\\u00[01]|\\[bfr]|[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
      }),
    );
  });

  it('shows what was there, and leaves other texts as they are', () => {
    const shown = (text: string): unknown => JSON.parse(showControls(JSON.stringify(text)));
    expect(shown('a\u001b[31m\u009bb\u202e\r')).toBe('a\\x1b[31m\\u009bb\\u202e\\r');
    for (const plain of ['über "quoted" \\u001b', 'two\nlines\tand a tab', '\\\\r']) expect(shown(plain)).toBe(plain);
  });
});
