import fc from '../../support/properties.js';
import { ByteScanner } from '../../../src/sources/linux/proc-files.js';

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

  it('reads no byte beyond the length that it was given', () => {
    const scanner = new ByteScanner();
    scanner.start(Buffer.from('12345\n678'), 3);
    expect(scanner.integer()).toBe(true);
    expect(scanner.value).toBe(123);
    expect(scanner.nextLine()).toBe(false);
    expect(scanner.rest()).toBe('');
  });
});
