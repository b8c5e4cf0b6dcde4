import { writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { ArchiveBuilder } from '../support/archive-builder.js';
import { type ArchiveApi, BUILT_START, archiveApi } from '../support/archive-gateway.js';
import type { Api } from '../support/api.js';
import { rows } from '../support/rows.js';

const GAUGE = 1;
const TEXT = 2;
const COUNT = 40;
/** The record that is damaged. */
const DAMAGED = 20;
/** Long enough that the answer is begun long before the damage is come to. */
const LONG = 'x'.repeat(60_000);

interface Whole {
  readonly status: number;
  readonly body: string;
  readonly isComplete: boolean;
  readonly trailers: NodeJS.Dict<string>;
}

let served: ArchiveApi;
let api: Api;

beforeAll(async () => {
  served = await archiveApi();
  ({ api } = served);
  const builder = new ArchiveBuilder({ version: 3, start: [BUILT_START, 0] })
    .metric({ pmid: GAUGE, names: ['t.gauge'], type: 0, semantics: 3 })
    .metric({ pmid: TEXT, names: ['t.text'], type: 6, semantics: 4 });
  let damagedAt = builder.labelBytes(0).length;
  for (let i = 0; i < COUNT; i++) {
    const bytes = builder.recordBytes(
      [BUILT_START + i, 0],
      rows({ pmid: GAUGE, values: [[-1, i]] }, { pmid: TEXT, values: [[-1, LONG]] }),
    );
    builder.raw(bytes);
    if (i < DAMAGED) damagedAt += bytes.length;
  }
  const base = builder.write(served.root, 'damaged');
  const volume = builder.files().get('0')!;
  volume.writeUInt32BE(~volume.readUInt32BE(damagedAt) >>> 0, damagedAt);
  writeFileSync(`${base}.0`, volume);
  expect(path.basename(base)).toBe('damaged');
});

afterAll(() => served.stop());

/** Ask as a client does that looks whether the answer is complete, and at its trailers. */
function ask(query: string, options: http.RequestOptions = {}): Promise<Whole> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${api.url}/pmapi/fetch?archive=damaged&${query}`, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', () => undefined);
      answer.on('close', () => {
        resolve({
          status: answer.statusCode!,
          body: Buffer.concat(chunks).toString(),
          isComplete: answer.complete,
          trailers: answer.trailers,
        });
      });
    });
    request.on('error', reject);
    request.end();
  });
}

const WARNING = {
  code: 'BAD_ARCHIVE',
  pmErr: -12373,
  message: expect.stringMatching(/^damaged\.0 at offset \d+: a record of \d+ bytes/) as string,
};

describe('a range over an archive with a damaged record', () => {
  const both = 'names=t.gauge,t.text';

  it('has all intact records and one warning as rows', async () => {
    const answer = (await api.get(`/pmapi/fetch?archive=damaged&${both}&samples=1000`)).json;
    const { samples, warnings } = answer as unknown as { samples: readonly { mark?: true }[]; warnings: unknown };
    expect(samples).toHaveLength(COUNT);
    expect(samples.filter(({ mark }) => mark)).toHaveLength(1);
    expect(warnings).toEqual([WARNING]);
  });

  it('has a gap and one warning as columns', async () => {
    const { body, isComplete } = await ask('names=t.gauge&format=columns');
    const { times, warnings } = JSON.parse(body) as { times: readonly number[]; warnings: unknown };
    expect([isComplete, times.length, warnings]).toEqual([true, COUNT, [WARNING]]);
  });

  it('is not broken off in any format, interpolated or not', async () => {
    for (const format of ['rows', 'columns', 'ndjson', 'csv']) {
      for (const more of ['', '&interval=500msec', '&points=7', '&rate=true', '&top=1', '&start=20500msec']) {
        const names = format === 'columns' || more.includes('points') ? 'names=t.gauge' : both;
        const { status, isComplete, body } = await ask(`${names}&format=${format}${more}`);
        expect([format, more, status, isComplete, body.length > 100]).toEqual([format, more, 200, true, true]);
      }
    }
  });

  it('has the warning in its last line as NDJSON', async () => {
    const { body } = await ask(`${both}&format=ndjson`);
    const lines = body.trimEnd().split('\n');
    expect(lines).toHaveLength(COUNT + 1);
    expect(JSON.parse(lines.at(-1)!)).toEqual({ warnings: [WARNING] });
  });

  it('has the warning in a trailer as CSV, where there are trailers', async () => {
    const { body, trailers } = await ask('names=t.gauge&format=csv');
    expect(body.trimEnd().split('\r\n')).toHaveLength(COUNT + 1);
    expect(JSON.parse(trailers['x-pmgate-warnings']!)).toEqual([WARNING]);
    expect((await ask('names=t.gauge&format=csv', { method: 'HEAD' })).status).toBe(200);
    expect((await ask('names=t.gauge&format=csv&finish=3sec')).trailers).toEqual({});
  });

  it('has no warning where the damage is not in the window', async () => {
    const { body } = await ask('names=t.gauge&start=25sec&finish=30sec');
    expect(JSON.parse(body)).not.toHaveProperty('warnings');
  });
});

describe('a single fetch of an archive with a damaged record', () => {
  it('fails once when it comes to the damage, and goes on behind it', async () => {
    const context = await api.context('?archive=damaged');
    await api.post(`/pmapi/${context}/mode`, { body: { mode: 'forward', time: String(BUILT_START + DAMAGED - 1) } });
    const fetch = async (): Promise<unknown> => {
      const { status, json } = await api.get(`/pmapi/${context}/fetch?names=t.gauge`);
      return status === 200 ? (json as unknown as { timestamp: number }).timestamp - BUILT_START : json.code;
    };
    expect([await fetch(), await fetch(), await fetch()]).toEqual([DAMAGED - 1, 'BAD_ARCHIVE', DAMAGED + 1]);
    const records = await api.get(`/pmapi/${context}/records?samples=2`);
    expect(records.text.trimEnd().split('\n')).toHaveLength(2);
  });

  it('has a warning beside values, or none, next to the damage', async () => {
    const context = await api.context('?archive=damaged');
    await api.post(`/pmapi/${context}/mode`, {
      body: { mode: 'interp', time: String(BUILT_START + DAMAGED), interval: '1' },
    });
    const between = (await api.get(`/pmapi/${context}/fetch?names=t.gauge`)).json;
    expect(between).toMatchObject({ values: [{ instances: [] }], warnings: [WARNING] });
    const behind = (await api.get(`/pmapi/${context}/fetch?names=t.gauge`)).json;
    expect(behind).toMatchObject({ values: [{ instances: [{ value: DAMAGED + 1 }] }] });
    expect(behind).not.toHaveProperty('warnings');
  });
});
