import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readCaseScript } from './support/case-script.js';
import { examineAll, rounded } from './support/examine.js';
import { Given } from './support/given.js';

const FOLDER = path.join(import.meta.dirname, 'cases');

describe.each(readdirSync(FOLDER).filter((file) => file.endsWith('.test')))('%s', (file) => {
  const script = readCaseScript(file, readFileSync(path.join(FOLDER, file), 'utf8'));
  const given = new Given(script.given);
  it.each(script.cases.map((each): [string, typeof each] => [each.title, each]))('%s', (_title, each) => {
    for (const { at, expected, found } of examineAll(given, [each])) {
      expect({ at, found: rounded(found) }).toEqual({ at, found: rounded(expected) });
    }
  });
});
