import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { compress, uncompress } from 'snappyjs';

/** What Prometheus' remote read is asked. */
export interface RemoteQuery {
  readonly startMs: number;
  readonly endMs: number;
  /** `=`, `!=`, `=~`, `!~`. */
  readonly matchers: readonly (readonly [name: string, operator: string, value: string])[];
  readonly func?: string;
}

/** One series of an answer: its labels, and samples as milliseconds and values; `stale` for a stale marker. */
export interface RemoteSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly samples: readonly (readonly [ms: number, value: number | 'stale'])[];
}

const LEN = WireType.LengthDelimited;
const STALE = 0x7ff0000000000002n;

/** The media type and coding of requests. */
export const REMOTE_READ_HEADERS = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-read-version': '0.1.0',
} as const;

/** A ReadRequest, not compressed. */
export function readRequest(queries: readonly RemoteQuery[], types: readonly number[] = []): Uint8Array {
  const writer = new BinaryWriter();
  for (const { startMs, endMs, matchers, func } of queries) {
    writer.tag(1, LEN).fork();
    writer.tag(1, WireType.Varint).int64(startMs).tag(2, WireType.Varint).int64(endMs);
    for (const [name, operator, value] of matchers) {
      const type = ['=', '!=', '=~', '!~'].indexOf(operator);
      writer.tag(3, LEN).fork();
      if (type > 0) writer.tag(1, WireType.Varint).int32(type);
      writer.tag(2, LEN).string(name).tag(3, LEN).string(value).join();
    }
    if (func !== undefined)
      writer.tag(4, LEN).fork().tag(1, WireType.Varint).int64(1000).tag(2, LEN).string(func).join();
    writer.join();
  }
  for (const type of types) writer.tag(2, WireType.Varint).int32(type);
  return writer.finish();
}

/** The series of each query of a ReadResponse, compressed. */
function readResponse(body: Uint8Array): readonly (readonly RemoteSeries[])[] {
  const results = fields(uncompress(new Uint8Array(body))).get(1) ?? [];
  return results.map((result) =>
    (fields(result as Uint8Array).get(1) ?? []).map((series) => seriesOf(series as Uint8Array)),
  );
}

/** Ask a gateway; what comes back is the answer with its series, or an error. */
export async function remoteRead(
  port: number,
  queries: readonly RemoteQuery[],
  {
    search = '',
    headers = {},
    types = [],
  }: { search?: string; headers?: Record<string, string>; types?: number[] } = {},
): Promise<{ readonly status: number; readonly text: string; readonly results: readonly (readonly RemoteSeries[])[] }> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/read${search}`, {
    method: 'POST',
    headers: { ...REMOTE_READ_HEADERS, ...headers },
    body: compress(readRequest(queries, types)),
  });
  const body = new Uint8Array(await response.arrayBuffer());
  if (response.status !== 200) return { status: response.status, text: Buffer.from(body).toString(), results: [] };
  return { status: 200, text: '', results: readResponse(body) };
}

function seriesOf(bytes: Uint8Array): RemoteSeries {
  const found = fields(bytes);
  const labels = (found.get(1) ?? []).map((label) => {
    const text = fields(label as Uint8Array);
    return [1, 2].map((field) => Buffer.from(text.get(field)![0] as Uint8Array).toString());
  });
  const samples = (found.get(2) ?? []).map((sample) => {
    const own = fields(sample as Uint8Array);
    const value = own.get(1)![0] as Uint8Array;
    const bits = Buffer.from(value);
    return [Number(own.get(2)![0]), bits.readBigUInt64LE() === STALE ? 'stale' : bits.readDoubleLE()] as const;
  });
  return { labels: Object.fromEntries(labels) as Record<string, string>, samples };
}

/** The fields of a message by number: bytes, or integers. */
function fields(bytes: Uint8Array): Map<number, (Uint8Array | bigint)[]> {
  const reader = new BinaryReader(bytes);
  const found = new Map<number, (Uint8Array | bigint)[]>([]);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const value =
      type === LEN
        ? reader.bytes()
        : type === WireType.Bit64
          ? bytes.slice(reader.pos, (reader.skip(type), reader.pos))
          : BigInt(reader.int64());
    found.set(field, [...(found.get(field) ?? []), value]);
  }
  return found;
}
