import { AccessControl, readAccessFile } from '../../src/access/index.js';
import { LiveMemory } from '../../src/context/range/index.js';
import { tokenOf, tokensOf } from '../access/support/tokens.js';
import { processorHost } from '../culprits/processor-host.js';
import { Api } from '../support/api.js';
import { FakeClock } from '../support/fake-clock.js';
import { memoryGateway } from '../support/memory-gateway.js';
import fc, { tries } from '../support/properties.js';
import { Target } from './target.js';
import type { Reply } from './target.js';

/** What a role without processes and control groups must never see. */
const SECRETS = /hushproc|hushgroup|770077/;
const PROBES = tries(2000);
const AT_ONCE = 10;
const MINUTE_SEC = 60;
const FETCH = '/pmapi/fetch?hostspec=web1&prefix=kernel';

const ROLES = {
  without: { permissions: ['read'], metrics: ['!proc', '!hotproc', '!cgroup'] },
  only: { permissions: ['read', 'derive'], metrics: ['kernel', 'hinv', 'disk', 'mem'] },
};
const FILE = readAccessFile({
  roles: ROLES,
  tokens: tokensOf([...Object.keys(ROLES), 'boss'], { boss: ['admin'] }),
});

const clock = new FakeClock();
const startSec = clock.now().sec;
let api: Api;

/** A minute of a host that one process takes, in a group of its own; the administrator has asked for all of it. */
beforeAll(async () => {
  const content = processorHost(() => {
    const sec = clock.now().sec - startSec;
    const busyMs = 100 * sec + Math.max(0, sec - MINUTE_SEC / 2) * 1800;
    return {
      uptimeSec: 1000 + sec,
      busyMs,
      idleMs: 2000 * sec - busyMs,
      processes: [{ pid: 770077, startMs: 5000, name: 'hushproc', cpuMs: busyMs }],
      groups: { '/hushgroup': busyMs * 1000 },
    };
  }, ['proc', 'cgroup']);
  const memory = new LiveMemory(clock);
  const access = new AccessControl({ file: FILE, anonymous: { from: 'nowhere', roles: [] }, clock });
  api = await Api.start(memoryGateway({ clock, content, memory }), { access });
  const boss = new Target(api.url, tokenOf('boss'));
  for (let sec = 0; sec < MINUTE_SEC; sec += 2) {
    clock.advance(2000);
    expect((await boss.get('/pmapi/fetch?hostspec=web1&prefix=kernel,proc,cgroup')).status).toBe(200);
    // What is remembered is remembered for each role by itself.
    for (const role of Object.keys(ROLES)) await new Target(api.url, tokenOf(role)).get(FETCH);
  }
  const now = new Date(clock.now().sec * 1000).toISOString();
  const start = new Date((clock.now().sec - MINUTE_SEC / 2) * 1000).toISOString();
  const seen = [
    await boss.get(`/diagnosis?hostspec=web1&at=${now}`),
    await ask(boss, callOf('pcp_diagnose', { start, finish: now })),
    await boss.get('/metrics?names=proc&hostspec=web1'),
  ];
  for (const { body } of seen) expect(body).toMatch(SECRETS);
});
afterAll(() => api.stop());

const names = fc.constantFrom('proc', 'cgroup', 'proc.psinfo', 'proc.psinfo.cmd', 'cgroup.cpu.stat.usage', 'kernel');
const moment = fc.integer({ min: -5, max: MINUTE_SEC + 5 }).map((sec) => String(startSec + sec));
const VALUES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  at: moment,
  start: moment,
  finish: moment,
  after: fc.tuple(moment, moment).map((both) => both.join()),
  before: fc.tuple(moment, moment).map((both) => both.join()),
  against: fc.constantFrom('web2', 'embedded'),
  names,
  prefix: names,
  name: names,
  expr: fc.constantFrom('rate(proc.psinfo.utime)', 'sum(cgroup.cpu.stat.usage)', 'kernel.all.uptime'),
  q: fc.constantFrom('hushproc', 'hush', 'hushgroup', 'cmd', '770077'),
  indom: fc.constantFrom('3.9', '3.16'),
  iname: fc.constantFrom('*hush*', '770077 hushproc', '/hushgroup'),
  why: fc.constant('true'),
  rate: fc.constant('true'),
  limit: fc.constant('100'),
  zone: fc.constant('UTC'),
};
/** What says who it is, and what could say it by the way. `/diagnosis` of now would take two seconds: it measures as the others read. */
const OPERATIONS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['/diagnosis', ['at'], ['zone']],
  ['/diagnosis', ['start', 'finish'], ['at']],
  ['/changes', ['after'], ['before', 'names', 'prefix', 'limit', 'against']],
  ['/pmapi/fetch', [], ['names', 'prefix', 'start', 'finish', 'why', 'rate', 'iname', 'expr']],
  ['/pmapi/indom', [], ['indom', 'name', 'iname']],
  ['/pmapi/metric', [], ['name', 'prefix']],
  ['/pmapi/children', [], ['prefix']],
  ['/search', ['q'], []],
  ['/metrics', ['names'], []],
  ['/series/query', ['expr'], []],
  ['/series/instances', ['name'], []],
  ['/pmapi/stream', ['names'], ['rate', 'iname']],
];
const overHttp = fc.constantFrom(...OPERATIONS).chain(([path, needed, optional]) =>
  fc
    .record({
      ...Object.fromEntries(needed.map((key) => [key, VALUES[key]!])),
      ...Object.fromEntries(optional.map((key) => [key, fc.option(VALUES[key]!, { nil: undefined })])),
    })
    .map((query: Readonly<Record<string, string | undefined>>) => {
      const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
      return { path: `${path}?${new URLSearchParams([['hostspec', 'web1'], ...given]).toString()}` };
    }),
);
const isoMoment = moment.map((sec) => new Date(Number(sec) * 1000).toISOString());
const listed = names.map((name) => [name]);
const WINDOW = { start: isoMoment, finish: isoMoment };
/** Tools of assistants and their arguments. */
const TOOLS: readonly (readonly [string, Readonly<Record<string, fc.Arbitrary<unknown>>>])[] = [
  ['pcp_diagnose', WINDOW],
  ['pcp_changes', { ...WINDOW, prefix: names }],
  ['pcp_find', { words: VALUES.q! }],
  ['pcp_query', { ...WINDOW, names: listed, instance: VALUES.iname! }],
  ['pcp_query', { ...WINDOW, expr: VALUES.expr! }],
  ['pcp_why', { names: listed, at: isoMoment, instance: VALUES.iname! }],
  ['pcp_check_expression', { expr: VALUES.expr! }],
];
const byAssistant = fc
  .constantFrom(...TOOLS)
  .chain(([name, given]) => fc.record(given).map((made) => callOf(name, made)));
const probe: fc.Arbitrary<Probe> = fc.oneof({ weight: 2, arbitrary: overHttp }, byAssistant);

interface Probe {
  readonly path: string;
  /** Of a POST. */
  readonly body?: string;
}

function callOf(name: string, given: object): Probe {
  const params = { name, arguments: { host: 'web1', ...given } };
  return { path: '/mcp', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }) };
}

/** Ask; what never ends is looked at for a moment. */
async function ask(target: Target, { path, body }: Probe): Promise<Reply> {
  if (body !== undefined) return target.postJson(path, body);
  if (!path.includes('stream')) return target.get(path);
  const { text } = await target.send(`GET ${path} HTTP/1.1\r\nHost: ${target.host}\r\n${target.authorization}\r\n`, 30);
  return { status: 0, headers: {}, body: text, elapsedMs: 0 };
}

test(`${PROBES} requests of roles without proc and cgroup show none of their names`, async () => {
  let [answered, byTools] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(ROLES)),
      fc.array(probe, { minLength: AT_ONCE, maxLength: AT_ONCE }),
      async (role, probes) => {
        const target = new Target(api.url, tokenOf(role));
        for (const each of probes) {
          const { status, headers, body } = await ask(target, each);
          // What the request brought along is no secret.
          const brought = decodeURIComponent(each.path) + (each.body ?? '');
          const shown = SECRETS.exec(SECRETS.test(brought) ? body.replaceAll(/hush\w*|770077/g, '') : body)?.[0];
          const head = SECRETS.test(JSON.stringify(headers));
          expect({ each, shown, head }).toEqual({ each, shown: undefined, head: false });
          if (status !== 200) continue;
          answered++;
          if (each.body !== undefined && !body.includes('"isError":true')) byTools++;
        }
      },
    ),
    { numRuns: PROBES / AT_ONCE },
  );
  // They were no mere refusals.
  expect(answered).toBeGreaterThan(PROBES / 4);
  expect(byTools).toBeGreaterThan(PROBES / 20);
  expect(api.defects).toEqual([]);
});

test('a processor is full for them, too, and who it is is hidden', async () => {
  for (const role of Object.keys(ROLES)) {
    const { body } = await new Target(api.url, tokenOf(role)).get(`/diagnosis?hostspec=web1&at=${clock.now().sec}`);
    const { resources } = JSON.parse(body) as { resources: readonly object[] };
    expect(resources[0]).toMatchObject({
      resource: 'processor',
      who: [],
      unknown: expect.stringMatching(/hidden/) as string,
    });
  }
});
