import { PmError } from '../../../src/pmapi/index.js';
import { ScramClient } from '../../../src/sources/pmcd/handshake.js';

const SERVER_FIRST = 'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096';

/** The exchange printed in RFC 7677, section 3. */
describe('ScramClient', () => {
  const client = (): ScramClient => new ScramClient('user', 'pencil', 'rOprNGfwEbeRWgbNEkqO');

  it('speaks the exchange of RFC 7677', async () => {
    const scram = client();
    expect(scram.first()).toBe('n,,n=user,r=rOprNGfwEbeRWgbNEkqO');
    expect(await scram.final(SERVER_FIRST)).toBe(
      'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
    );
    expect(() => scram.verify('v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=')).not.toThrow();
  });

  it('escapes names', () => expect(new ScramClient('a=b,c', '', 'n').first()).toBe('n,,n=a=3Db=2Cc,r=n'));

  it.each([['v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95H4='], ['v='], ['e=other-error'], ['']])(
    'does not believe a server that answers %j',
    async (answer) => {
      const scram = client();
      await scram.final(SERVER_FIRST);
      expect(() => scram.verify(answer)).toThrow(PmError);
    },
  );

  it.each([
    ['a nonce of its own', 'r=other,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096'],
    ['our nonce and nothing more', 'r=rOprNGfwEbeRWgbNEkqO,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096'],
    ['no salt', 'r=rOprNGfwEbeRWgbNEkqOx,i=4096'],
    ['no iterations', 'r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ=='],
    ['iterations without end', 'r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=999999999'],
  ])('refuses a server that gives %s', async (_, first) => {
    await expect(client().final(first)).rejects.toThrow(PmError);
  });
});
