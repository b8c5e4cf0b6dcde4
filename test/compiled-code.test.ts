import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheDirectory, keepCompiled, readCompiled } from '../src/compiled-code.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const SUFFIX = '-v20.bin';
const DATA = Buffer.from('what V8 compiled');

describe('compiled code', () => {
  const directory = temporaryDirectory();
  const file = path.join(directory.path, 'pmgate', `build${SUFFIX}`);
  beforeEach(() => keepCompiled(file, SUFFIX, DATA));

  it('is kept for this user alone, in place of what earlier builds kept', () => {
    const later = path.join(path.dirname(file), `later${SUFFIX}`);
    writeFileSync(path.join(path.dirname(file), 'of-another-release'), '');
    keepCompiled(later, SUFFIX, DATA);
    expect(readCompiled(later)).toEqual(DATA);
    expect(statSync(later).mode & 0o777).toBe(0o600);
    expect(readdirSync(path.dirname(file)).sort()).toEqual([`later${SUFFIX}`, 'of-another-release']);
  });

  it.each<[string, () => void]>([
    ['damaged', () => writeFileSync(file, Buffer.concat([readFileSync(file).subarray(0, -1), Buffer.from('!')]))],
    ['cut short', () => writeFileSync(file, 'x')],
    ['writable by a group', () => chmodSync(file, 0o620)],
    ['writable by all', () => chmodSync(file, 0o602)],
  ])('is not used when it is %s', (_how, change) => {
    expect(readCompiled(file)).toEqual(DATA);
    change();
    expect(readCompiled(file)).toBeUndefined();
  });

  it('is not used behind a link, or when it is not there', () => {
    const link = path.join(directory.path, 'link');
    symlinkSync(file, link);
    expect([readCompiled(link), readCompiled(`${file}.not`)]).toEqual([undefined, undefined]);
  });

  it.each([
    [{ XDG_CACHE_HOME: '/var/cache', HOME: '/home/me' }, '/var/cache'],
    [{ XDG_CACHE_HOME: '', HOME: '/home/me' }, '/home/me/.cache'],
    [{ XDG_CACHE_HOME: 'here', HOME: '/home/me' }, '/home/me/.cache'],
    [{ HOME: 'here' }, undefined],
    [{}, undefined],
  ])('of a user with %j is below %s', (environment, expected) => {
    expect(cacheDirectory(environment)).toBe(expected);
  });
});
