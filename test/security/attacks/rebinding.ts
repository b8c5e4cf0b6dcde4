import { type Attack, type Verdict, open, refused, verdictOf } from '../attack.js';
import type { Target } from '../target.js';

const AREA = 'DNS rebinding of the gateway';

/** Names that a page of the web can have lead here. */
const FOREIGN = [
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'evil.example.',
  'EVIL.EXAMPLE',
  'xn--e1afmkfd.example',
];

async function callBy(target: Target, host: string): Promise<Verdict> {
  const { statuses, text } = await target.send(
    `GET /pmapi/metric?name=pmcd.version HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  );
  const [status = 0] = statuses;
  return [400, 401, 403, 421].includes(status) ? refused(String(status)) : open(`${status}: ${text.slice(-80)}`);
}

/** A page whose name suddenly leads to this machine is of the gateway's origin: only Host tells. No credentials go with it. */
export const REBINDING: readonly Attack[] = [
  {
    area: AREA,
    name: 'a request to a name that is not ours',
    run: async (target) => {
      const found = await Promise.all(FOREIGN.map((host) => callBy(target, `${host}:${target.url.port || '80'}`)));
      return verdictOf(
        found.map(({ outcome, how }, i) => (outcome === 'open' ? `${FOREIGN[i]!}: ${how}` : undefined)),
        'refused by every name',
      );
    },
  },
  {
    area: AREA,
    name: 'a page of that name that changes something',
    run: async (target) => {
      const { status } = await target.request('POST', '/pmapi/context', {
        headers: { Host: 'evil.example', Origin: 'http://evil.example', 'Sec-Fetch-Site': 'same-origin' },
        body: '',
      });
      // A token may, wherever it is used: pages have none.
      if (target.token !== undefined) return refused('not made with a token');
      return status >= 400 ? refused(String(status)) : open(`a context was made: ${status}`);
    },
  },
];
