import http from 'node:http';

/** One server-sent event. */
export interface SseEvent {
  /** `message` when the event has no name. */
  readonly event: string;
  /** The last id that there was, its own included. */
  readonly id: string | undefined;
  readonly data: string;
}

/** The events of a text, as a browser dispatches them; throws for lines that are none, and for an event without its end. */
export function parseEvents(text: string): readonly SseEvent[] {
  const blocks = text.split('\n\n');
  if (blocks.pop() !== '') throw new Error(`the last event has no end: ${text.slice(-200)}`);
  const events: SseEvent[] = [];
  let id: string | undefined;
  for (const block of blocks) {
    let event = 'message';
    const data: string[] = [];
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) continue;
      const [, field, value] = /^(event|data|id|retry): (.*)$/.exec(line) ?? [];
      if (field === undefined || value === undefined) throw new Error(`no line of an event: ${line}`);
      if (field === 'event') event = value;
      else if (field === 'data') data.push(value);
      else if (field === 'id') id = value;
      else if (!/^\d+$/.test(value)) throw new Error(`no time: ${line}`);
    }
    if (data.length > 0) events.push({ event, id, data: data.join('\n') });
  }
  return events;
}

/** A client of a stream. */
export interface OpenStream {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  text(): string;
  events(): readonly SseEvent[];
  /** Resolves when so many events came, of all kinds; rejects when the stream ends before. */
  until(count: number): Promise<readonly SseEvent[]>;
  /** Resolves when the gateway has ended the stream. */
  readonly ended: Promise<void>;
  pause(): void;
  close(): Promise<void>;
}

/** Open a stream, with POST if there is a body of JSON: resolves when the head of the answer is there. */
export function openStream(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const [method, type] = body === undefined ? ['GET', {}] : ['POST', { 'Content-Type': 'application/json' }];
    const request = http.request(url, { method, headers: { ...type, ...headers }, agent: false }, (response) => {
      let text = '';
      let isOver = false;
      const waiting = new Set<() => void>();
      const wake = (): void => {
        for (const look of waiting) look();
      };
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        wake();
      });
      const ended = new Promise<void>((done) => {
        response.once('close', () => {
          isOver = true;
          wake();
          done();
        });
      });
      // Being cut off is an end like another.
      response.on('error', () => undefined);
      const events = (): readonly SseEvent[] => parseEvents(text.slice(0, text.lastIndexOf('\n\n') + 2));
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: () => text,
        events,
        until: (count) =>
          new Promise((found, failed) => {
            const look = (): void => {
              const so = text.includes('\n\n') ? events() : [];
              if (so.length < count && !isOver) return;
              waiting.delete(look);
              if (so.length >= count) found(so);
              else failed(new Error(`the stream ended: ${text}`));
            };
            waiting.add(look);
            look();
          }),
        ended,
        pause: () => void response.pause(),
        close: async () => {
          request.destroy();
          await ended;
        },
      });
    });
    request.once('error', reject);
    request.end(body);
  });
}
