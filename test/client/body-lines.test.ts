import { serverSentEvents } from '../../src/client/body-lines.js';
import fc from '../support/properties.js';
import { rows } from '../support/rows.js';

async function* given(pieces: readonly string[]): AsyncGenerator<string, void> {
  yield* pieces;
}

async function eventsOf(...pieces: string[]): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const { name, data, id, retryMs } of serverSentEvents(given(pieces))) {
    events.push(retryMs === undefined ? [name, data, id] : [name, data, id, retryMs]);
  }
  return events;
}

describe('serverSentEvents', () => {
  it.each([
    ['an event', 'data: x\n\n', [['', 'x', '']]],
    ['one with all fields', 'retry: 10\nid: 7\nevent: end\ndata: {}\n\n', [['end', '{}', '7', 10]]],
    ['an id that stays', 'id: 7\ndata: a\n\ndata: b\n\n', rows(['', 'a', '7'], ['', 'b', '7'])],
    ['an id that is taken back', 'id: 7\ndata: a\n\nid\ndata: b\n\n', rows(['', 'a', '7'], ['', 'b', ''])],
    ['an id with a zero byte', 'id: a\0b\ndata: x\n\n', [['', 'x', '']]],
    ['several lines of data', 'data: a\ndata:b\ndata\n\n', [['', 'a\nb\n', '']]],
    ['one blank only is taken off', 'data:  a\n\n', [['', ' a', '']]],
    ['comments', ': heartbeat\n\n:\ndata: x\n: y\n\n', [['', 'x', '']]],
    ['an event without data', 'event: a\n\ndata: x\n\n', [['', 'x', '']]],
    ['unknown fields', 'colour: red\ndata: x\n\n', [['', 'x', '']]],
    ['a retry that is no number', 'retry: soon\ndata: x\n\n', [['', 'x', '']]],
    ['an event that is cut short', 'data: x\n\ndata: y\n', [['', 'x', '']]],
    ['a byte order mark', '\uFEFFdata: x\n\n', [['', 'x', '']]],
    ['CR', 'data: a\r\rdata: b\r\r', rows(['', 'a', ''], ['', 'b', ''])],
    ['CRLF', 'data: a\r\n\r\n', [['', 'a', '']]],
    ['nothing', '', []],
  ])('reads %s', async (_, text, events) => {
    expect(await eventsOf(text)).toEqual(events);
  });

  it('reads the same events wherever the text is divided', async () => {
    const part = fc.constantFrom('data: a', 'data', 'id: 1', 'event: e', ': c', '\n', '\r\n', '\r', 'é', '');
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 20 }),
        fc.array(fc.nat(60), { maxLength: 6 }),
        async (parts, cuts) => {
          const text = parts.join('');
          const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
          const pieces = places.slice(1).map((end, i) => text.slice(places[i], end));
          expect(await eventsOf(...pieces)).toEqual(await eventsOf(text));
        },
      ),
    );
  });
});
