import { hostPolicy, parseAllowRule } from '../../../src/gateway/targets/host-policy.js';

const DNS: Readonly<Record<string, readonly string[]>> = {
  'web1.example.com': ['10.1.2.3'],
  'db.example.com': ['10.9.9.9', '192.0.2.7'],
  'home.example.com': ['192.0.2.2', '::ffff:192.0.2.2', 'fd00::2', '192.0.2.3'],
  'evil.example.com': ['127.0.0.1', '::1', '169.254.169.254', '0.0.0.0', '::ffff:127.0.0.1'],
  localhost: ['127.0.0.1', '::1'],
};

const own = (): readonly string[] => ['127.0.0.1', '::1', '192.0.2.2', 'fd00::2', 'fe80::1%eth0'];

const resolve = (host: string): Promise<readonly string[]> =>
  Promise.resolve(/^[0-9.]+$|:/.test(host) ? [host] : (DNS[host] ?? []));

/** The addresses that a target may be connected at, or `refused`. */
async function reach(allow: readonly string[], host: string, ports = [44321]): Promise<readonly string[] | 'refused'> {
  const admitted = hostPolicy(allow, resolve, own)({ kind: 'tcp', host, ports });
  return admitted ? admitted(host) : 'refused';
}

describe('hostPolicy', () => {
  it('refuses everything by default', async () => {
    expect(await reach([], 'web1.example.com')).toBe('refused');
    expect(await reach([], '127.0.0.1', [22])).toBe('refused');
  });

  it.each([
    [['web1.example.com'], 'web1.example.com', ['10.1.2.3']],
    [['web1.example.com'], 'db.example.com', 'refused'],
    [['*.example.com'], 'db.example.com', ['10.9.9.9', '192.0.2.7']],
    [['web?.example.com'], 'web1.example.com', ['10.1.2.3']],
    [['*.example.com'], 'example.com', 'refused'],
    [['*.example.com'], 'web1.example.com.attacker.net', 'refused'],
    [['10.0.0.0/8'], 'db.example.com', ['10.9.9.9']],
    [['10.0.0.0/8'], '10.255.0.1', ['10.255.0.1']],
    [['10.0.0.0/8'], '11.0.0.1', 'refused'],
    [['0.0.0.0/0'], 'db.example.com', ['10.9.9.9', '192.0.2.7']],
    [['0.0.0.0/0', '::/0'], 'evil.example.com', []],
    [['0.0.0.0/0'], '127.0.0.1', 'refused'],
    [['0.0.0.0/0'], '0.0.0.0', 'refused'],
    [['::/0'], '::1', 'refused'],
    [['127.0.0.0/8'], '127.3.2.1', ['127.3.2.1']],
    [['169.254.0.0/16'], '169.254.1.1', ['169.254.1.1']],
    [['::1/128'], '::1', ['::1']],
    [['10.1.2.3'], '10.1.2.3', ['10.1.2.3']],
    [['10.1.2.3'], 'web1.example.com', 'refused'],
    [['fd00::/8'], 'fd00::5', ['fd00::5']],
    [['[fd00::5]:44321'], 'fd00::5', ['fd00::5']],
    [['fd00::5'], 'fd00:0:0::5', ['fd00:0:0::5']],
  ] as const)('with %j lets %s reach %j', async (allow, host, expected) => {
    expect(await reach(allow, host)).toEqual(expected);
  });

  it('allows pmcd’s own port unless the rule says another, and wants every port of the target allowed', async () => {
    expect(await reach(['web1.example.com'], 'web1.example.com', [44399])).toBe('refused');
    expect(await reach(['web1.example.com:44399'], 'web1.example.com', [44399])).toEqual(['10.1.2.3']);
    expect(await reach(['web1.example.com:44399'], 'web1.example.com', [44399, 22])).toBe('refused');
    expect(await reach(['web1.example.com:*'], 'web1.example.com', [1, 2])).toEqual(['10.1.2.3']);
  });

  it('never lets a name or glob lead to this machine, the local link or nowhere', async () => {
    expect(await reach(['evil.example.com'], 'evil.example.com')).toEqual([]);
    expect(await reach(['*:*'], 'evil.example.com')).toEqual([]);
    expect(await reach(['*:*'], '127.0.0.1')).toBe('refused');
  });

  it('never lets a block, a name or a glob lead to an address of this machine, and an entry that says the address does', async () => {
    expect(await reach(['192.0.2.0/24', 'fd00::/8'], '192.0.2.2')).toBe('refused');
    expect(await reach(['192.0.2.0/24', 'fd00::/8'], 'fd00:0::2')).toBe('refused');
    expect(await reach(['0.0.0.0/0', '::/0'], '192.0.2.2')).toBe('refused');
    expect(await reach(['0.0.0.0/0', '::/0'], 'fd00::2')).toBe('refused');
    expect(await reach(['192.0.2.0/24', '::ffff:0:0/96'], '::ffff:192.0.2.2')).toBe('refused');
    expect(await reach(['*.example.com', '192.0.2.0/24'], 'home.example.com')).toEqual(['192.0.2.3']);
    expect(await reach(['192.0.2.2'], '192.0.2.2')).toEqual(['192.0.2.2']);
    expect(await reach(['192.0.2.2/32'], '192.0.2.2')).toEqual(['192.0.2.2']);
    expect(await reach(['[fd00::2]:44321'], 'fd00::2')).toEqual(['fd00::2']);
  });

  it.each(['3221225986', '0xC0000202', '0300.0.2.2', '192.0.514', '0', 'web.1', 'web.0x7f', '1.'])(
    'takes %s for no name: resolvers read an address out of it',
    async (host) => {
      expect(await reach(['*:*', '0.0.0.0/0:*'], host)).toBe('refused');
    },
  );

  it('reaches another port of this machine only when a rule says so', async () => {
    expect(await reach(['localhost:44399'], 'localhost', [44399])).toEqual(['127.0.0.1', '::1']);
    expect(await reach(['127.0.0.0/8:44399'], '127.0.0.1', [44399])).toEqual(['127.0.0.1']);
  });

  it('checks the address anew at every connection', async () => {
    let addresses = ['10.1.2.3'];
    const admitted = hostPolicy(['10.0.0.0/8'], () => Promise.resolve(addresses))({
      kind: 'tcp',
      host: 'rebinding.example.com',
      ports: [44321],
    })!;
    expect(await admitted('rebinding.example.com')).toEqual(['10.1.2.3']);
    addresses = ['127.0.0.1'];
    expect(await admitted('rebinding.example.com')).toEqual([]);
  });
});

describe('parseAllowRule', () => {
  it.each([
    '',
    'a b',
    'host:',
    'host:99999',
    'host:x',
    '10.0.0.0/99',
    'http://host',
    '[::1',
    'ho/st',
    '3221225986',
    'web.0x1:*',
  ])('refuses %j and says why', (text) => {
    expect(() => parseAllowRule(text)).toThrow(JSON.stringify(text));
    // Whoever tells the problem says of which option it is.
    expect(() => parseAllowRule(text)).toThrow(/^"/);
  });
});
