import { type Attack, type Verdict, open, skipped, verdictOf } from '../attack.js';
import type { Reply, Target } from '../target.js';

const AREA = 'memory';

/** Definitions that are sent for everybody, or for one context; there is room for some 80 of them by default. */
const DEFINITIONS = 120;
/** An expression of as many tokens as there may be. */
const LARGEST = `hinv.ncpu${'+1'.repeat(999)}`;
/** Contexts that are kept, and fetches that are made in each; together they would keep some 100 MB. */
const CONTEXTS = 10;
const FETCHES = 8;

/** What the gateway says that it keeps for clients, and what it may keep, by what that is; undefined where it does not say. */
async function keptBy(target: Target): Promise<readonly (readonly [kept: number, limit: number])[] | undefined> {
  const { status, body } = await target.get(
    '/pmapi/fetch?names=pmgate.mem.kept,pmgate.mem.kept_limit&hostspec=embedded',
  );
  if (status !== 200) return undefined;
  const { values } = JSON.parse(body) as {
    values: { name: string; instances: { instance: number; value: number }[] }[];
  };
  const [kept, limits] = ['pmgate.mem.kept', 'pmgate.mem.kept_limit'].map(
    (name) => values.find((metric) => metric.name === name)?.instances ?? [],
  );
  return kept!.map(({ instance, value }) => [value, limits!.find((limit) => limit.instance === instance)!.value]);
}

/** What is wrong with what the gateway keeps. */
async function excess(target: Target): Promise<string | undefined> {
  const tooMuch = (await keptBy(target))?.find(([kept, limit]) => kept > limit);
  return tooMuch && `${tooMuch[0]} bytes are kept, and limits.memoryBytes leaves ${tooMuch[1]}`;
}

const codeOf = ({ body }: Reply): string => /"code":"(\w+)"/.exec(body)?.[1] ?? '';
/** Refused for its cost, or answered. */
const isFine = ({ status }: Reply): boolean => [200, 413, 429, 503].includes(status);

/** Send definitions until one is refused: `siege.d0` and so on. */
async function define(target: Target, url: string): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  for (let i = 0; i < DEFINITIONS && replies.every(({ status }) => status < 300); i++) {
    const body = `siege.d${i} = ${LARGEST}\n`;
    replies.push(await target.request('POST', url, { headers: { 'Content-Type': 'text/plain' }, body }));
  }
  return replies;
}

/** The verdict on definitions: the last one must be refused, and what uses the others be answered. */
async function judge(target: Target, definitions: readonly Reply[], uses: readonly string[]): Promise<Verdict> {
  const last = definitions.at(-1)!;
  if (last.status < 300) return open(`${DEFINITIONS} definitions of 2,000 tokens`);
  const findings = [
    last.status === 507 && codeOf(last) === 'MEMORY_FULL' ? undefined : `status ${last.status} ${codeOf(last)}`,
  ];
  for (const use of uses) {
    const reply = await target.get(use);
    findings.push(isFine(reply) ? undefined : `${use}: ${reply.status}`);
  }
  findings.push(await excess(target), (await target.isWell()) ? undefined : 'the gateway is not well');
  return verdictOf(findings, `507 after ${definitions.length - 1} definitions`);
}

/** Many large definitions for everybody, which every exposition and listing would have to bind. */
async function globalDefinitions(target: Target): Promise<Verdict> {
  const definitions = await define(target, '/derived');
  if ([401, 403].includes(definitions[0]!.status)) return skipped('no definitions may be made');
  try {
    const uses = ['/metrics?hostspec=embedded', '/pmapi/children?hostspec=embedded&prefix=siege'];
    return await judge(target, definitions, uses);
  } finally {
    for (const [i, { status }] of definitions.entries()) {
      if (status < 300) await target.request('DELETE', `/derived/siege.d${i}`);
    }
  }
}

/** The same for a context, and for further contexts once it is full. */
async function contextDefinitions(target: Target): Promise<Verdict> {
  const contexts: number[] = [];
  try {
    for (let i = 0; i < CONTEXTS; i++) {
      const context = await newContext(target);
      if (context === undefined) return skipped('no context may be made');
      contexts.push(context);
      const definitions = await define(target, `/pmapi/${context}/derive`);
      if ([401, 403].includes(definitions[0]!.status)) return skipped('no definitions may be made');
      const isFull = definitions.length === 1;
      const verdict = await judge(target, definitions, isFull ? [] : [`/pmapi/${context}/children?prefix=siege`]);
      if (verdict.outcome !== 'refused' || isFull) return verdict;
    }
    return open(`${CONTEXTS} contexts keep as many definitions as one may`);
  } finally {
    for (const context of contexts) await target.request('DELETE', `/pmapi/${context}`);
  }
}

async function newContext(target: Target): Promise<number | undefined> {
  const { status, body } = await target.get('/pmapi/context?polltimeout=120&hostspec=embedded');
  return status === 200 ? (JSON.parse(body) as { context: number }).context : undefined;
}

/** Contexts that keep views and plans of all that there is: a client that may read one metric can make them. */
async function keptViews(target: Target): Promise<Verdict> {
  const contexts: number[] = [];
  const findings: (string | undefined)[] = [];
  const names = Array<string>(900).fill('hinv.ncpu');
  try {
    for (let c = 0; c < CONTEXTS; c++) {
      const context = await newContext(target);
      if (context === undefined) return skipped('no context may be made');
      contexts.push(context);
      for (let top = 1; top <= FETCHES; top++) {
        const replies = [
          await target.get(`/pmapi/${context}/fetch?prefix=&rate=true&top=${top}`),
          await target.postJson(`/pmapi/${context}/fetch`, JSON.stringify({ names, top })),
        ];
        findings.push(...replies.map((reply) => (isFine(reply) ? undefined : `status ${reply.status}`)));
      }
      findings.push(await excess(target));
    }
    const kept = await keptBy(target);
    if (!kept) return skipped('what is kept cannot be read');
    findings.push((await target.isWell()) ? undefined : 'the gateway is not well');
    return verdictOf(findings, `${kept.reduce((sum, [bytes]) => sum + bytes, 0)} bytes are kept`);
  } finally {
    for (const context of contexts) await target.request('DELETE', `/pmapi/${context}`);
  }
}

/** Requests that make the gateway keep things: small ones that make it keep much, and many. */
export const MEMORY: readonly Attack[] = [
  { area: AREA, name: 'large definitions for everybody', run: globalDefinitions },
  { area: AREA, name: 'large definitions of contexts', run: contextDefinitions },
  { area: AREA, name: 'views and plans of contexts', run: keptViews },
];
