import fc from '../../support/properties.js';
import { ByteScanner, decodeText } from '../../../src/sources/linux/proc-files.js';

function scan(text: string): ByteScanner {
  const scanner = new ByteScanner();
  const bytes = Buffer.from(text);
  scanner.start(bytes, bytes.length);
  return scanner;
}

describe('ByteScanner', () => {
  it('reads integers of any size exactly', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }), { minLength: 1 }), (numbers) => {
        const scanner = scan(numbers.join(' \t'));
        for (const number of numbers) {
          expect(scanner.integer()).toBe(true);
          expect(scanner.wide ?? BigInt(scanner.value)).toBe(number);
          expect(scanner.wide !== undefined).toBe(!Number.isSafeInteger(Number(number)));
        }
        expect(scanner.integer()).toBe(false);
      }),
    );
  });

  it('does not move over what is no integer', () => {
    const scanner = scan('  -x 5');
    expect(scanner.integer()).toBe(false);
    expect(scanner.word()).toBe('-x');
    expect(scanner.integer()).toBe(true);
    expect(scanner.value).toBe(5);
  });

  it('reads decimals', () => {
    const scanner = scan('0.25 -3.5 17 x');
    expect([scanner.decimal(), scanner.decimal(), scanner.decimal()]).toEqual([0.25, -3.5, 17]);
    expect(scanner.decimal()).toBeNaN();
    expect(scanner.word()).toBe('x');
  });

  it('walks lines and words, and never leaves the line', () => {
    const scanner = scan('one two\n\n three  four\nlast');
    scanner.skipWords(5);
    expect(scanner.word()).toBe('');
    expect(scanner.nextLine()).toBe(true);
    expect(scanner.atLineEnd).toBe(true);
    expect(scanner.nextLine()).toBe(true);
    expect(scanner.rest()).toBe('three  four');
    expect(scanner.find('l'.charCodeAt(0))).toBe(-1);
    expect(scanner.nextLine()).toBe(true);
    expect(scanner.startsWith(Buffer.from('last'))).toBe(true);
    expect(scanner.startsWith(Buffer.from('last!'))).toBe(false);
    expect(scanner.nextLine()).toBe(false);
    expect(scanner.atEnd).toBe(true);
  });

  it('reads no byte beyond the length that it was given', () => {
    const scanner = new ByteScanner();
    scanner.start(Buffer.from('12345\n678'), 3);
    expect(scanner.integer()).toBe(true);
    expect(scanner.value).toBe(123);
    expect(scanner.nextLine()).toBe(false);
    expect(scanner.rest()).toBe('');
  });
});

describe('decodeText', () => {
  it('reads UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const bytes = Buffer.from(`<${text}>`);
        expect(decodeText(bytes, 1, bytes.length - 1)).toBe(text);
      }),
    );
  });
});
