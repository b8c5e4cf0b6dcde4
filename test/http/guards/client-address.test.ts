import { isLoopback } from '../../../src/http/guards/client-address.js';

describe('isLoopback', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.8.9.10', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['::FFFF:127.0.0.1', true],
    ['128.0.0.1', false],
    ['10.0.0.1', false],
    ['::ffff:10.0.0.1', false],
    ['::', false],
    ['fe80::1%eth0', false],
    ['', false],
    [undefined, false],
  ])('of %s is %s', (address, expected) => {
    expect(isLoopback(address)).toBe(expected);
  });
});
