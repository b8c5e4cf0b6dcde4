import fc from '../../support/properties.js';
import { RememberedNames } from '../../../src/sources/linux/remembered-names.js';

/** Passes over rows of names, all through one buffer, as files are read. */
class Passes {
  readonly made: string[] = [];
  readonly names = new RememberedNames((name) => {
    this.made.push(name);
    return name.toUpperCase();
  });
  readonly #buffer = Buffer.alloc(4096);

  pass(rows: readonly string[]): { kept: readonly string[]; changed: boolean } {
    this.made.length = 0;
    this.#buffer.write(rows.join('\n'));
    this.names.begin();
    let at = 0;
    const kept = rows.map((row) => {
      const start = at;
      at += Buffer.byteLength(row) + 1;
      return this.names.next(this.#buffer, start, at - 1);
    });
    return { kept, changed: this.names.finish() };
  }
}

describe('RememberedNames', () => {
  it('makes nothing anew while the rows stay what they are', () => {
    const passes = new Passes();
    expect(passes.pass(['sda', 'sdb'])).toEqual({ kept: ['SDA', 'SDB'], changed: true });
    expect(passes.pass(['sda', 'sdb'])).toEqual({ kept: ['SDA', 'SDB'], changed: false });
    expect(passes.made).toEqual([]);
  });

  it('makes everything anew after forgetting', () => {
    const passes = new Passes();
    passes.pass(['a']);
    passes.names.forget();
    expect(passes.pass(['a']).changed).toBe(true);
    expect(passes.made).toEqual(['a']);
  });

  it('is right about any sequence of passes', () => {
    const rows = fc.array(fc.constantFrom('a', 'b', 'ab', 'cd', 'eth0', 'é'), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(rows, { minLength: 1 }), (sequence) => {
        const passes = new Passes();
        let before: readonly string[] | undefined;
        for (const names of sequence) {
          const { kept, changed } = passes.pass(names);
          expect(kept).toEqual(names.map((name) => name.toUpperCase()));
          expect(changed).toBe(before === undefined || before.join() !== names.join());
          before = names;
        }
      }),
    );
  });
});
