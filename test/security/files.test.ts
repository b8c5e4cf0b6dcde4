import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadConfig } from '../../src/config/index.js';
import { systemClock } from '../../src/pmapi/index.js';
import { loadSecurity } from '../../src/gateway/security.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Nine references to nine references …: a thousand million entries. */
const BOMB = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].reduce(
  (text, name, i, names) =>
    `${text}${name}: &${name} [${Array.from({ length: 9 }, () => (i === 0 ? 'x' : `*${names[i - 1]!}`)).join()}]\n`,
  '',
);

const directory = temporaryDirectory().path;
const file = path.join(directory, 'bomb.yaml');
writeFileSync(file, `${BOMB}users: *i\n`);

test('an access file whose aliases multiply is refused', () => {
  const config = loadConfig({ environment: { PMGATE_ACCESS_FILE: file } });
  expect(() => loadSecurity(config, systemClock)).toThrow(/[Ee]xcessive alias count/);
});

test('so is a configuration file', () => {
  expect(() => loadConfig({ file })).toThrow(/[Ee]xcessive alias count/);
});
