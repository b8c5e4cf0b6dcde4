import { packTar } from 'modern-tar';
import { eachOf } from '../../../../src/kit/index.js';
import { archivesInTar, UNPACK_LIMITS, Unpacked } from '../../../../src/sources/archive/index.js';

/** A file that nobody wants, and then archives: in one chunk with the beginning of the first. */
const MEMBERS = [
  ['sos/version.txt', 2],
  ['sos/messages.1', 800_000],
  ['sos/etc/large.conf', 300_000],
  ['sos/messages.2', 800_000],
  ['sos/h/a.meta', 5],
] as const;

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.slice(at, at + size));
}

it.each([512, 10_240, 65_536, 10_000_000])(
  'archives are taken out of a tar that comes in chunks of %d bytes',
  async (size) => {
    const entries = MEMBERS.map(([name, length]) => ({ header: { name, size: length }, body: new Uint8Array(length) }));
    const tar = await packTar(entries);
    const taken: [string, number][] = [];
    for await (const { name, body } of archivesInTar(chunksOf(tar, size), new Unpacked(), UNPACK_LIMITS)) {
      let bytes = 0;
      for await (const chunk of eachOf(body)) bytes += chunk.length;
      taken.push([name, bytes]);
    }
    expect(taken).toEqual(MEMBERS.filter(([name]) => /\.(?:\d|meta)$/.test(name)));
  },
);
