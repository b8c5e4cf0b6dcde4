import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { makeTimeZone } from '../../../src/pmapi/index.js';
import { readLocalZone } from '../../../src/sources/linux/identity.js';
import { ProcFiles } from '../../../src/sources/linux/proc-files.js';
import { FakeClock } from '../../support/fake-clock.js';
import { makeTree, writeTree } from './support/collected.js';

/** A file of the zone database that ends in the given rules. */
function zoneFile(rules: string): string {
  return `TZif2\0\0\0old\nTZif2\0\0\0new\0\x01\n${rules}\n`;
}

function zoneIn(root: string, environment: NodeJS.ProcessEnv = {}) {
  return readLocalZone(new ProcFiles(root, new FakeClock()), environment);
}

/** A machine whose /etc/localtime leads to a zone. */
function linked(zone: string, rules: string): string {
  const root = makeTree({ [`usr/share/zoneinfo/${zone}`]: zoneFile(rules) });
  mkdirSync(path.join(root, 'etc'));
  symlinkSync(`../usr/share/zoneinfo/${zone}`, path.join(root, 'etc/localtime'));
  return root;
}

describe('readLocalZone', () => {
  it.each([
    ['Etc/UTC', 'UTC0', 'UTC'],
    ['Europe/Berlin', 'CET-1CEST,M3.5.0,M10.5.0/3', 'CET-1CEST,M3.5.0,M10.5.0/3'],
    ['Australia/Lord_Howe', '<+1030>-10:30<+11>-11,M10.1.0,M4.1.0', '<+1030>-10:30<+11>-11,M10.1.0,M4.1.0'],
    ['America/Caracas', '<-04>4', '<-04>4'],
    ['right/Europe/Oslo', '', 'Europe/Oslo'],
    ['Own/Zone', '', 'UTC'],
  ])('tells the name and the rules of %s', (zone, rules, timeZone) => {
    expect(zoneIn(linked(zone, rules))).toEqual({ timeZone, zoneInfo: `:${zone.replace('right/', '')}` });
    expect(() => makeTimeZone(timeZone)).not.toThrow();
  });

  it('is $TZ as it stands, unless that is empty', () => {
    const root = linked('Europe/Berlin', 'CET-1CEST,M3.5.0,M10.5.0/3');
    expect(zoneIn(root, { TZ: 'Asia/Tokyo' }).timeZone).toBe('Asia/Tokyo');
    expect(zoneIn(root, { TZ: '' }).timeZone).toBe('CET-1CEST,M3.5.0,M10.5.0/3');
  });

  it('has the rules of a file that is no link, and UTC for none or rubbish', () => {
    const zoneInfo = ':UTC'; // that of this process: tests run in UTC
    const root = makeTree({ 'etc/localtime': zoneFile('JST-9') });
    expect(zoneIn(root)).toEqual({ timeZone: 'JST-9', zoneInfo });
    for (const rubbish of ['JST-9\n', 'TZif2\0', `TZif2\n${'x'.repeat(1000)}5\n`, 'TZif2\nJST-9\0\n']) {
      writeTree(root, { 'etc/localtime': rubbish });
      expect(zoneIn(root)).toEqual({ timeZone: 'UTC', zoneInfo });
    }
    expect(zoneIn(makeTree({}))).toEqual({ timeZone: 'UTC', zoneInfo });
  });
});
