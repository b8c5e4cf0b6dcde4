import { type Attack, type Verdict, open, refused, skipped } from '../attack.js';
import type { Target } from '../target.js';

const AREA = 'guessing credentials';

/** More than any gateway lets anybody try in a minute. */
const GUESSES = 120;

/** Try one after the other until the gateway has enough of it. */
async function guess(target: Target, authorization: (i: number) => string): Promise<Verdict> {
  for (let i = 0; i < GUESSES; i++) {
    const head = `GET /pmapi/metric?name=pmcd.version HTTP/1.1\r\nHost: ${target.host}\r\nConnection: close\r\n`;
    const { statuses, text } = await target.send(`${head}Authorization: ${authorization(i)}\r\n\r\n`);
    if (statuses[0] === 429) {
      return /\r\nRetry-After: \d/i.test(text) ? refused(`429 after ${i}`) : open('429 does not say for how long');
    }
    if (statuses[0] !== 401) return i === 0 ? skipped('there are no users') : open(`let in: ${statuses[0] ?? 0}`);
  }
  return open(`${GUESSES} guesses were looked at`);
}

/** Passwords for names that are made up, more at once than can be checked: others must still be checked. */
async function crowdOut(target: Target): Promise<Verdict> {
  const head = `GET /pmapi/metric?name=pmcd.version HTTP/1.1\r\nHost: ${target.host}\r\nConnection: close\r\n`;
  const received = await Promise.all(
    Array.from({ length: GUESSES }, (_, i) => {
      const credentials = Buffer.from(`nobody${i}:guess`).toString('base64');
      return target.send(`${head}Authorization: Basic ${credentials}\r\n\r\n`);
    }),
  );
  const full = received.findIndex(({ text }) => text.includes('too many passwords'));
  if (received.some(({ statuses }) => statuses[0] === 200)) return skipped('there are no users');
  return full === -1 ? refused(`${GUESSES} names`) : open(`no room for more after ${full} names`);
}

/** Trying one password after the other, and one token; and keeping others from logging in. */
export const GUESSING: readonly Attack[] = [
  {
    area: AREA,
    name: 'passwords of a user',
    run: (target) => guess(target, (i) => `Basic ${Buffer.from(`alice:guess ${i}`).toString('base64')}`),
  },
  { area: AREA, name: 'keeping others out by names that are made up', run: crowdOut },
  { area: AREA, name: 'tokens', run: (target) => guess(target, (i) => `Bearer guess-${i}`) },
];
