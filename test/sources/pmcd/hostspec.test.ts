import fc from '../../support/properties.js';
import { SourceTextError } from '../../../src/pmapi/index.js';
import { type Hostspec, formatHostspec, parseHostspec } from '../../../src/sources/pmcd/hostspec.js';

const nothing: Omit<Hostspec, 'address'> = {
  security: 'none',
  proxy: undefined,
  container: undefined,
  username: undefined,
  password: undefined,
  method: undefined,
};
const tcp = (host: string, ...ports: number[]): Hostspec['address'] => ({
  kind: 'tcp',
  host,
  ports: ports.length > 0 ? ports : [44321],
});

describe('parseHostspec', () => {
  it.each<[string, Partial<Hostspec>]>([
    ['localhost', { address: tcp('localhost') }],
    ['Web-1.example.com', { address: tcp('web-1.example.com') }],
    ['10.0.0.7', { address: tcp('10.0.0.7') }],
    ['host:4711', { address: tcp('host', 4711) }],
    ['host:44399,44371', { address: tcp('host', 44399, 44371) }],
    ['[::1]', { address: tcp('::1') }],
    ['[2001:DB8::7]:44321', { address: tcp('2001:db8::7', 44321) }],
    ['pcp://host', { address: tcp('host') }],
    ['pcp:host', { address: tcp('host') }],
    ['pcps://host:1', { address: tcp('host', 1), security: 'enforce' }],
    ['pcps://host?secure=relaxed', { address: tcp('host'), security: 'relaxed' }],
    ['host?secure', { address: tcp('host'), security: 'enforce' }],
    ['host?secure=relaxed', { address: tcp('host'), security: 'relaxed' }],
    ['local', { address: tcp('local') }],
    ['unix', { address: tcp('unix') }],
    ['unix:', { address: { kind: 'unix', path: '/run/pcp/pmcd.socket' } }],
    ['unix://', { address: { kind: 'unix', path: '/run/pcp/pmcd.socket' } }],
    ['unix://tmp/x', { address: { kind: 'unix', path: '/tmp/x' } }],
    ['unix:///tmp/x', { address: { kind: 'unix', path: '/tmp/x' } }],
    ['unix:/tmp/x?container=c', { address: { kind: 'unix', path: '/tmp/x' }, container: 'c' }],
    ['local:', { address: { kind: 'local', path: '/run/pcp/pmcd.socket' } }],
    ['local://tmp/x', { address: { kind: 'local', path: '/tmp/x' } }],
    ['host@proxy', { address: tcp('host'), proxy: { host: 'proxy', port: 44322 } }],
    ['host:1@[::2]:3', { address: tcp('host', 1), proxy: { host: '::2', port: 3 } }],
    ['host?container=web', { address: tcp('host'), container: 'web' }],
    ['host?user=a&pass=b&method=PLAIN', { address: tcp('host'), username: 'a', password: 'b', method: 'PLAIN' }],
    ['host?username=a&password=b=c', { address: tcp('host'), username: 'a', password: 'b=c' }],
    ['host?something=else', { address: tcp('host') }],
    ['host?', { address: tcp('host') }],
  ])('reads %s', (text, expected) => expect(parseHostspec(text)).toEqual({ ...nothing, ...expected }));

  it.each<[string, number, string]>([
    ['', 0, 'missing host name'],
    [':44321', 0, 'missing host name'],
    ['pcp://', 6, 'missing host name'],
    ['::1', 0, 'an IPv6 address must be in brackets'],
    ['fe80::1', 0, 'an IPv6 address must be in brackets'],
    ['[::1', 4, 'missing closing bracket'],
    ['[host]', 1, 'invalid IPv6 address "host"'],
    ['host:', 5, 'missing port'],
    ['host:44321,', 11, 'missing port'],
    ['host:0', 5, 'invalid port 0'],
    ['host:65536', 5, 'invalid port 65536'],
    ['host:99999999999', 5, 'invalid port'],
    ['host:12x', 7, 'unexpected "x"'],
    ['ho st', 2, 'unexpected " "'],
    ['host/path', 4, 'unexpected "/"'],
    ['http://host', 5, 'missing port'],
    ['host@', 5, 'missing host name'],
    ['host@proxy:', 11, 'missing port'],
    ['host?container=', 15, 'missing container name'],
    ['host?=x', 5, 'an attribute without a name'],
    ['host?secure=yes', 12, 'invalid value "yes" of secure'],
    ['host?user=a&user=b', 12, 'duplicate attribute user'],
    ['host?compress', 5, 'no longer supports compression'],
    ['host?container=a\0b', 16, 'NUL in an attribute value'],
    ['unix:/a\0b', 7, 'NUL in a path'],
    ['h'.repeat(5000), 4096, 'too long'],
  ])('points at what is wrong in %j', (text, offset, message) => {
    let caught: unknown;
    try {
      parseHostspec(text);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(SourceTextError);
    const error = caught as SourceTextError;
    expect(error.message).toContain(message);
    expect(error.offset).toBe(offset);
    expect(error.code).toBe('BAD_PARAMETER');
    expect(error.details.parameter).toBe('hostspec');
  });

  it('reads or refuses any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          parseHostspec(text);
        } catch (error) {
          expect(error).toBeInstanceOf(SourceTextError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('formatHostspec', () => {
  it.each([
    ['host:44321', 'host'],
    ['pcp://Host:1,2', 'host:1,2'],
    ['pcps://[::1]', 'pcps://[::1]'],
    ['host?user=a&password=secret', 'host'],
    ['host@proxy', 'host@proxy:44322'],
    ['unix:tmp/x?container=c', 'unix:///tmp/x?container=c'],
    ['local:', 'local:///run/pcp/pmcd.socket'],
    ['host?container=c&secure=relaxed', 'host?container=c&secure=relaxed'],
    ['host?secure=relaxed', 'host?secure=relaxed'],
  ])('writes %s as %s, without credentials', (text, expected) => {
    const written = formatHostspec(parseHostspec(text));
    expect(written).toBe(expected);
    expect(formatHostspec(parseHostspec(written))).toBe(expected);
  });
});
