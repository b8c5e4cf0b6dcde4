import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkConfig } from '../../src/cli/read-config.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const temporary = temporaryDirectory();

it.each([
  ['clients', 'exempt', 'nowhere'],
  ['push', 'from', '10.0.0.0/99'],
])('check-config finds addresses in %s.%s that are none', (section, option, address) => {
  const file = path.join(temporary.path, 'pmgate.yaml');
  writeFileSync(file, `${section}:\n  ${option}: [${address}]\n`);
  const message = `"${address}" is neither an address nor a CIDR block`;
  expect(checkConfig(file)).toMatchObject([{ line: 2, option: `${section}.${option}`, message }]);
});
