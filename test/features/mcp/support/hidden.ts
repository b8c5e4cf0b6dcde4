import { createHash } from 'node:crypto';
import fc from '../../../support/properties.js';
import { AccessControl, readAccessFile } from '../../../../src/access/index.js';
import { DefinitionStore } from '../../../../src/derived/index.js';
import { makePmid, systemClock } from '../../../../src/pmapi/index.js';
import { ArchiveBuilder } from '../../../support/archive-builder.js';
import { descriptor } from '../../../support/memory-gateway.js';
import type { MemoryContent } from '../../../support/memory-source.js';
import { SECRET_CONTENT } from '../../../support/secret-content.js';
import { serve } from './served.js';
import { START, WINDOW } from './strange-archives.js';

/** Of the metrics that the role may not see: values, help, instances, labels; and everything of the archive and the host that it may not. */
const SECRETS = /770[ ,]?077|7\.701e\+5|SECRETTEXT|SECRETINST|SECRETLABEL|vault/i;
/** Names that no answer may hold unless the question did. */
const HIDDEN_NAMES = ['secret.value', 'secret.text', 'secret.many', 'hush.load'];
const CONTENT: MemoryContent = {
  ...SECRET_CONTENT,
  metrics: [
    ...SECRET_CONTENT.metrics,
    { name: 'hush.load', descriptor: descriptor(makePmid(100, 2, 3)), oneline: 'load SECRETTEXT', values: 770077 },
  ],
};

/** Ten minutes of a host with open and secret metrics. */
function archiveOf(hostName: string): ArchiveBuilder {
  const id = (item: number): number => 100 * 2 ** 22 + item;
  const builder = new ArchiveBuilder({ version: 3, start: [START, 0], hostName })
    .metric({ pmid: id(1), names: ['open.one'], type: 5, semantics: 3 })
    .metric({ pmid: id(2), names: ['open.many'], type: 5, semantics: 3, indom: id(8) })
    .metric({ pmid: id(3), names: ['secret.value'], type: 5, semantics: 3 })
    .metric({ pmid: id(4), names: ['secret.many'], type: 5, semantics: 3, indom: id(7) })
    .metric({ pmid: id(5), names: ['secret.text'], type: 6, semantics: 4 })
    .text(5, id(3), 'hush SECRETTEXT')
    .indom([START, 0], id(8), [
      [0, 'first'],
      [1, 'second'],
    ])
    .indom([START, 0], id(7), [[0, 'SECRETINST a']])
    .indexEntry([START, 0]);
  for (let second = 0; second <= 600; second += 10) {
    const factor = second > 400 ? 3 : 1;
    builder.record(
      [START + second, 0],
      [
        { pmid: id(1), values: [[-1, factor]] },
        {
          pmid: id(2),
          values: [
            [0, 4 * factor],
            [1, 5],
          ],
        },
        { pmid: id(3), values: [[-1, 770077 * factor]] },
        { pmid: id(4), values: [[0, 770077 * factor]] },
        { pmid: id(5), values: [[-1, `SECRETTEXT ${factor}`]] },
      ],
    );
  }
  return builder;
}

const NAMES = [...HIDDEN_NAMES, 'open.one', 'open.many', 'leak.sum', 'sekret.value', 'hush', 'secret', 'open'];
const EXPRESSIONS = [
  ...NAMES,
  'secret.value + open.one',
  'secret.valu + 1',
  'ecret.value * 2',
  'sum(secret.many)',
  'defined(secret.value) ? secret.value : open.one',
  'secret.many[SECRETINS]',
  'open.many[firs]',
  'open.on + open.many',
  'leak.sum - open.one',
  'rate(hush.loa)',
  'mkconst(770, type="u32") + hush.load * 0',
  '((',
];
const maybe = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(one, { nil: undefined, freq: 1 });
const mostly = (right: string, ...others: string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
const host = mostly('opened', 'localhost', 'vaulthost', 'LOCALHOST', 'vault', 'localhost?x=1');
const at = mostly('1970-01-24T03:41:05Z', WINDOW.start, '-5min', '-1sec', 'now', 'x');
const [start, finish] = [mostly(WINDOW.start, '-5min', 'x'), mostly(WINDOW.finish, '-1sec', 'now')];
const instance = maybe(mostly('#0', '#1', 'first', 'SECRETINST a', 'SECRET*', '*'));
const names = fc.subarray(NAMES, { minLength: 1, maxLength: 4 });
const expr = fc.constantFrom(...EXPRESSIONS);
const words = fc.constantFrom('hush', 'secret', 'load', 'open', 'SECRETTEX', 'secret value', 'hash', 'inst', 'vault');
const count = maybe(fc.integer({ min: 1, max: 50 }));
const call = (tool: string, given: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Call> =>
  fc.record(given).map((made) => ({ tool, given: JSON.parse(JSON.stringify(made)) as Call['given'] }));

const SIDE_BY_SIDE = 6;

interface Call {
  readonly tool: string;
  readonly given: Readonly<Record<string, unknown>>;
}

const CALLS: fc.Arbitrary<Call> = fc.oneof(
  call('pcp_hosts', { host }),
  call('pcp_changes', {
    host,
    start,
    finish,
    against: maybe(fc.constantFrom('opened', 'vaulthost')),
    prefix: maybe(fc.constantFrom(...NAMES)),
    limit: count,
  }),
  { weight: 3, arbitrary: call('pcp_find', { host, words, limit: count }) },
  { weight: 3, arbitrary: call('pcp_query', { host, names, start, finish, instance, top: count }) },
  { weight: 2, arbitrary: call('pcp_query', { host, expr, start, finish, instance }) },
  { weight: 3, arbitrary: call('pcp_why', { host, names, at, instance }) },
  { weight: 3, arbitrary: call('pcp_check_expression', { host, expr, at }) },
  call('pcp_diagnose', { host: mostly('opened', 'vaulthost'), start, finish }),
);

const tokenOf = (name: string): string => name.repeat(3);
const sha256 = (name: string): string => createHash('sha256').update(tokenOf(name)).digest('hex');

/** Make calls by a role that sees only `open.*` of `localhost` and `opened`, after an administrator made the same; what was shown that must not be. */
export async function askInSecret(
  numRuns: number,
  seed: number,
): Promise<{ readonly shown: string[]; readonly answered: number; readonly seen: number }> {
  const file = readAccessFile({
    tokens: { boss: { sha256: sha256('boss'), roles: ['admin'] }, web: { sha256: sha256('web'), roles: ['web'] } },
    roles: {
      web: {
        permissions: ['read', 'derive'],
        metrics: ['open.*', 'leak.*'],
        hosts: ['localhost', 'opened'],
        archives: ['opened*'],
      },
    },
  });
  const definitions = new DefinitionStore();
  definitions.register('leak.sum', 'open.one + secret.value');
  const access = new AccessControl({ file, anonymous: { from: 'nowhere', roles: [] }, clock: systemClock });
  const served = await serve(
    (root) => {
      archiveOf('opened').write(root, 'opened');
      archiveOf('vaulthost').write(root, 'vault');
    },
    { access },
    { content: CONTENT, definitions },
  );
  const ask = async (who: string, { tool, given }: Call): Promise<string> => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: given } };
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${tokenOf(who)}` };
    const body = JSON.stringify(message);
    for (;;) {
      const answer = await fetch(`${served.api.url}/mcp`, { method: 'POST', headers, body });
      const text = await answer.text();
      if (answer.status === 200) return text;
      if (answer.status !== 503) throw new Error(`${body}: ${answer.status} ${text}`);
    }
  };
  const shown: string[] = [];
  let [answered, seen] = [0, 0];
  const calls = fc.sample(CALLS, { numRuns, seed }).values();
  const askAll = async (): Promise<void> => {
    for (const each of calls) {
      if (answered % 20 === 0 && SECRETS.test(await ask('boss', each))) seen++;
      const brought = JSON.stringify(each.given);
      // What the question itself brought along is no secret any more.
      let text = await ask('web', each);
      for (const [found] of brought.matchAll(/SECRETINST a|SECRET\*|SECRETINS|SECRETTEX|vaulthost|vault/g)) {
        text = text.replaceAll(found, '');
      }
      if (!text.includes('"isError":true')) answered++;
      const names = HIDDEN_NAMES.filter((name) => !brought.includes(name) && text.includes(name));
      if (SECRETS.test(text) || names.length > 0) shown.push(`${each.tool} ${brought}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, askAll));
  if (served.api.defects.length > 0) shown.push(`defects: ${String(served.api.defects[0])}`);
  await served.stop();
  return { shown, answered, seen };
}
