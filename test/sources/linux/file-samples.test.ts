import { FileSample, keyed } from '../../../src/sources/linux/table.js';
import { ProcFiles } from '../../../src/sources/linux/proc-files.js';
import { FakeClock } from '../../support/fake-clock.js';
import { makeTree, writeTree } from './support/collected.js';

describe('keyed', () => {
  function open(text: string, separator: 'colon' | 'blank', skipWords = 0): { root: string; read: () => unknown } {
    const root = makeTree({ 'proc/file': text });
    const files = new ProcFiles(root, new FakeClock());
    const file = new FileSample(files, 'proc/file', ['one', 'two'], keyed({ separator, skipWords }));
    let round = 0;
    const read = (): unknown => {
      file.ensure(++round);
      return [0, 1].map((column) => (file.fields.has(0, column) ? file.fields.integer(0, column) : undefined));
    };
    return { root, read };
  }

  it.each([
    ['colon', 0, 'one:   1 kB\nother: 7 kB\ntwo:2\n', [1n, 2n]],
    ['colon', 2, 'Node 0 one: 1 kB\nNode 0 two:  18446744073709551615 kB', [1n, 18446744073709551615n]],
    ['blank', 0, 'two 2\none 1\n', [1n, 2n]],
    ['blank', 0, 'one\ntwo x\n', [undefined, undefined]],
    ['colon', 0, 'one 1\n: 2\n\ntwo: 3', [undefined, 3n]],
    ['blank', 0, '', [undefined, undefined]],
    ['blank', 0, 'one 1\none 2\n', [2n, undefined]],
    ['blank', 0, 'onetwo 1\non 2\n', [undefined, undefined]],
  ] as const)('reads keys before a %s after %i words: %j', (separator, skipWords, text, expected) => {
    expect(open(text, separator, skipWords).read()).toEqual(expected);
  });

  it('follows lines that move, come and go', () => {
    const { root, read } = open('one 1\ntwo 2\n', 'blank');
    expect(read()).toEqual([1n, 2n]);
    for (const [text, expected] of [
      ['new 9\none 3\ntwo 4\n', [3n, 4n]],
      ['two 5\n', [undefined, 5n]],
      ['two 6\none 7\n', [7n, 6n]],
    ] as const) {
      writeTree(root, { 'proc/file': text });
      expect(read()).toEqual(expected);
    }
  });
});
