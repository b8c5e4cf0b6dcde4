import { spawnSync } from 'node:child_process';
import { makeToken, readAccessFile, tokenDigest } from '../../src/access/index.js';
import { bundledProgram } from '../support/bundled-program.js';
import { shell } from './fake-terminal.js';

test('passwd prints the hash of the line that it reads, to be pasted', async () => {
  expect(await shell(['passwd'], { input: 'secret\nmore' })).toMatchObject({ code: 0, stdout: 'hash of secret\n' });
  expect((await shell(['passwd', '-o', 'json'], { input: 'secret' })).stdout).toBe(
    '{\n  "password": "hash of secret"\n}\n',
  );
});

test('an empty password is none', async () => {
  expect(await shell(['passwd'], { input: '\n' })).toMatchObject({ code: 2, stdout: '' });
});

test('a password on the command line is refused', async () => {
  expect(await shell(['passwd', 'secret'])).toMatchObject({ code: 2, stdout: '' });
});

test('token prints a token for the client and its digest for the file', async () => {
  expect((await shell(['token'])).stdout).toBe('token: t0ken\nsha256: d1gest\n');
  expect((await shell(['token', '-o', 'csv'])).stdout).toBe('token,sha256\nt0ken,d1gest\n');
});

test('tokens are long, new each time, and what the file wants', () => {
  const [first, second] = [makeToken(), makeToken()];
  expect(first.token).toMatch(/^[\w-]{43}$/);
  expect(first.token).not.toBe(second.token);
  expect(first.sha256).toBe(tokenDigest(first.token));
  expect(readAccessFile({ tokens: { t: { sha256: first.sha256, roles: ['read'] } } }).tokens.size).toBe(1);
});

test('the program hashes what comes through a pipe', () => {
  const { stdout, status } = spawnSync(process.execPath, [bundledProgram(), 'passwd'], {
    input: 'secret\n',
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^\$scrypt\$ln=15,r=8,p=1\$.*\n$/)]);
});
