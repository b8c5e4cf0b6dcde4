import fc from '../../../support/properties.js';
import { readFileSync } from 'node:fs';
import { formatInet6, parseInet6Addresses } from '../../../../src/sources/linux/clusters/network-address.js';
import { TcpStateCounter } from '../../../../src/sources/linux/clusters/network-tcpconn.js';

describe('formatInet6', () => {
  it.each([
    ['00000000000000000000000000000000', '::'],
    ['00000000000000000000000000000001', '::1'],
    ['fd000000000000000000000000000002', 'fd00::2'],
    ['fe8000000000000000fc00fffe000001', 'fe80::fc:ff:fe00:1'],
    ['20010db8000000010000000000000001', '2001:db8:0:1::1'],
    ['20010db8000000010001000100010001', '2001:db8:0:1:1:1:1:1'],
    ['20010db8000100000000000100000000', '2001:db8:1::1:0:0'],
    ['00000000000000000000ffffc0000209', '::ffff:192.0.2.9'],
    ['20010db8000000000000000000000000', '2001:db8::'],
  ])('writes %s as %s', (hex, text) => expect(formatInet6(hex)).toBe(text));
});

describe('parseInet6Addresses', () => {
  it.each([
    ['00', 'Global'],
    ['10', 'Host'],
    ['20', 'Link'],
    ['40', 'Site'],
    ['80', 'Compat'],
    ['30', undefined],
  ])('calls scope %s %s', (scope, name) => {
    const line = `fe800000000000000000000000000001 02 40 ${scope} 80 eth0`;
    expect(parseInet6Addresses(line).get('eth0')).toEqual({ address: 'fe80::1/64', scope: name });
  });

  it('leaves out lines that it does not understand', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const { address } of parseInet6Addresses(text).values()) expect(address).toMatch(/^[0-9a-f:.]+\/\d+$/);
      }),
    );
    expect(parseInet6Addresses('fe800000000000000000000000000001 02 ff 00 80 eth0').size).toBe(0);
  });
});

describe('TcpStateCounter', () => {
  const file = readFileSync('test/fixtures/linux/network/proc/net/tcp');

  it('counts the same in whatever pieces the file comes', () => {
    for (let cut = 0; cut <= file.length; cut++) {
      const counter = new TcpStateCounter();
      counter.push(file.subarray(0, cut));
      counter.push(file.subarray(cut));
      expect([...counter.counts]).toEqual([0, 2, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0]);
    }
  });

  it('counts no line without a state', () => {
    const counter = new TcpStateCounter();
    counter.push(Buffer.from('a b c 01\na b c 1 \na b c 001 \na b c G1 \na b c 20 \na b c\n\na b c 01 rest\n'));
    expect([...counter.counts].reduce((a, b) => a + b)).toBe(2);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), (pieces) => {
        const counter = new TcpStateCounter();
        for (const piece of pieces) counter.push(piece);
        const lines = pieces.reduce((sum, piece) => sum + piece.filter((byte) => byte === 10 || byte === 32).length, 0);
        expect([...counter.counts].reduce((a, b) => a + b)).toBeLessThanOrEqual(lines);
      }),
    );
  });
});
