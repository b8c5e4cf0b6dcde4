import { area } from './support/conformance.js';
import { type RunningPmcd, describeWithPcp, startPmcd } from './support/pmcd.js';
import { type PlainAnswer, type RunningPmproxy, get, startPmproxy } from './support/pmproxy.js';
import { type RunningGateway, startGateway } from '../support/whole-gateway.js';

/** How an answer is compared: by what it holds, by the kind of its members only, or as an error. */
type Comparison = 'equal' | 'shape' | 'error';

interface Case {
  readonly request: string;
  readonly as: Comparison;
  /** The body of a POST, as `curl --data-binary` sends it. */
  readonly body?: string;
  /** Asked before in the same context, whatever the answers. */
  readonly after?: readonly string[];
  /** Why the answers differ on purpose; what is compared then is said by `pmgate`. */
  readonly differs?: string;
  /** What pmgate answers where it differs: a status, and a part of the body. */
  readonly pmgate?: { readonly status: number; readonly body?: RegExp };
}

/** `CTX` stands for a context made for the case, on either server. */
const CASES: readonly Case[] = [
  // context
  { request: '/pmapi/context', as: 'shape' },
  { request: '/pmapi/context?polltimeout=7', as: 'shape' },
  { request: '/pmapi/context?hostspec=localhost&client=abc', as: 'shape' },
  { request: '/pmapi/context?hostname=localhost', as: 'shape' },
  { request: '/pmapi/CTX/context', as: 'shape' },
  { request: '/pmapi/context?context=CTX', as: 'shape' },
  { request: '/pmapi/_context', as: 'shape' },
  { request: '/pmapi/context?polltimeout=5x', as: 'error' },
  { request: '/pmapi/4711/fetch?names=mem.physmem', as: 'error' },
  { request: '/pmapi/fetch?names=mem.physmem&context=4711', as: 'error' },
  { request: '/pmapi/context?context=abc', as: 'error' },
  // metric
  { request: '/pmapi/metric?names=mem.physmem', as: 'equal' },
  { request: '/pmapi/metric?name=disk.dev.read', as: 'equal' },
  { request: '/pmapi/CTX/metric?names=kernel.all.load,mem.util.free,hinv.ncpu', as: 'equal' },
  { request: '/pmapi/metric?names=hinv.ncpu&client=me', as: 'equal' },
  { request: '/pmapi/metric?prefix=kernel.all.pressure.cpu', as: 'equal' },
  { request: '/pmapi/metric?names=network.interface.in.bytes,disk.all.total', as: 'equal' },
  { request: '/pmapi/metric?names=no.such.metric', as: 'error' },
  { request: '/pmapi/metric?prefix=no.such', as: 'error' },
  { request: '/pmapi/metric?names=no.such.metric,hinv.ncpu', as: 'equal' },
  { request: '/pmapi/_metric?names=hinv.ncpu', as: 'shape' },
  // fetch
  { request: '/pmapi/fetch?names=kernel.all.load', as: 'shape' },
  { request: '/pmapi/fetch?names=hinv.ncpu,mem.physmem,kernel.uname.sysname', as: 'equal' },
  { request: '/pmapi/CTX/fetch?names=hinv.ncpu,disk.dev.read', as: 'shape' },
  { request: '/pmapi/fetch?name=hinv.ncpu', as: 'equal' },
  { request: '/pmapi/fetch?pmids=60.1.9', as: 'equal' },
  { request: '/pmapi/fetch?pmid=251659273', as: 'equal' },
  { request: '/pmapi/fetch?names=hinv.ncpu&client=abc', as: 'equal' },
  {
    request: '/pmapi/fetch?names=no.such.metric,hinv.ncpu',
    as: 'equal',
    differs: 'pmproxy drops unknown names silently; pmgate answers the others and lists these under warnings',
    pmgate: { status: 200, body: /"warnings":\[.*no\.such\.metric/ },
  },
  {
    request: '/pmapi/fetch?name=no.such.metric',
    as: 'error',
    differs: 'pmproxy says "bad parameters passed"; pmgate says which name is unknown',
    pmgate: { status: 404, body: /no\.such\.metric.*Unknown metric name/ },
  },
  { request: '/pmapi/fetch?names=', as: 'error' },
  {
    request: '/pmapi/fetch',
    as: 'error',
    differs: 'pmproxy answers an HTML page; pmgate answers JSON',
    pmgate: { status: 400, body: /"parameter":"names"/ },
  },
  { request: '/pmapi/_fetch?names=kernel.all.load', as: 'shape' },
  // children
  { request: '/pmapi/children?prefix=mem.util', as: 'shape' },
  { request: '/pmapi/children?prefix=kernel.all.pressure.cpu.some', as: 'shape' },
  { request: '/pmapi/children?prefix=hinv.ncpu', as: 'equal' },
  { request: '/pmapi/children?name=network.interface', as: 'shape' },
  { request: '/pmapi/children', as: 'shape' },
  { request: '/pmapi/children?prefix=no.such', as: 'error' },
  // indom
  { request: '/pmapi/indom?name=kernel.all.load', as: 'shape' },
  { request: '/pmapi/indom?indom=60.2', as: 'shape' },
  { request: '/pmapi/indom?name=kernel.all.load&iname=1%20minute', as: 'shape' },
  { request: '/pmapi/indom?name=kernel.all.load&instance=5,15', as: 'shape' },
  { request: '/pmapi/indom?name=kernel.all.load&match=glob&iname=1*', as: 'shape' },
  { request: '/pmapi/indom?name=kernel.all.load&match=regex&iname=%5E1', as: 'shape' },
  { request: '/pmapi/indom?name=hinv.ncpu', as: 'error' },
  { request: '/pmapi/indom?name=no.such', as: 'error' },
  { request: '/pmapi/indom?name=kernel.all.load&match=soundex', as: 'error' },
  // profile
  { request: '/pmapi/CTX/profile?expr=add&indom=60.2&instance=1', as: 'equal' },
  { request: '/pmapi/CTX/profile?expr=del&name=kernel.all.load', as: 'equal' },
  { request: '/pmapi/CTX/profile?expr=add', as: 'equal' },
  { request: '/pmapi/CTX/profile?expr=del&name=kernel.all.load&iname=1%20minute', as: 'equal' },
  { request: '/pmapi/CTX/profile?expr=maybe&indom=60.2', as: 'error' },
  // derive
  { request: '/pmapi/CTX/derive?name=my.a&expr=mem.physmem*2', as: 'equal' },
  { request: '/pmapi/derive?name=my.a&expr=mem.physmem*2', as: 'equal' },
  { request: '/pmapi/CTX/_derive?name=my.a&expr=mem.physmem*2', as: 'equal' },
  { request: '/pmapi/CTX/derive?name=my.a', body: 'mem.physmem + mem.physmem', as: 'equal' },
  { request: '/pmapi/CTX/derive', body: 'my.a = mem.physmem * 3\nmy.b = mem.physmem / 2\n', as: 'equal' },
  { request: '/pmapi/CTX/derive', body: 'my.a = mem.physmem;my.b = hinv.ncpu&my.c = hinv.ncpu\n', as: 'equal' },
  { request: '/pmapi/CTX/derive', body: '# one\n\n  # two\n \n\tmy.a=mem.physmem \r\n', as: 'equal' },
  { request: '/pmapi/CTX/derive', body: '# nothing else\n', as: 'equal' },
  { request: '/pmapi/CTX/fetch?names=my.a', after: ['derive?name=my.a&expr=mem.physmem*2'], as: 'equal' },
  { request: '/pmapi/CTX/fetch?names=my.a', after: ['derive?name=my.a&expr=mem.physmem/1024'], as: 'equal' },
  { request: '/pmapi/CTX/fetch?names=my.a', after: ['derive?name=my.a&expr=disk.dev.read/2'], as: 'shape' },
  { request: '/pmapi/CTX/metric?names=my.a', after: ['derive?name=my.a&expr=mem.physmem*2'], as: 'equal' },
  { request: '/pmapi/CTX/metric?names=my.a', after: ['derive?name=my.a&expr=rate(kernel.all.pswitch)'], as: 'equal' },
  { request: '/pmapi/CTX/metric?names=my.a', after: ['derive?name=my.a&expr=disk.dev.read/2'], as: 'equal' },
  {
    request: '/pmapi/CTX/children?prefix=my',
    after: ['derive?name=my.a.b&expr=1', 'derive?name=my.c&expr=2'],
    as: 'equal',
  },
  { request: '/pmapi/CTX/indom?name=my.a', after: ['derive?name=my.a&expr=disk.dev.read/2'], as: 'shape' },
  { request: '/pmapi/CTX/fetch?names=mem.physmem', after: ['derive?name=mem.physmem&expr=1'], as: 'equal' },
  { request: '/pmapi/CTX/derive?name=my.a&expr=1', after: ['derive?name=my.a&expr=1'], as: 'error' },
  { request: '/pmapi/CTX/derive?name=my.a&expr=mem.physmem%2B', as: 'error' },
  { request: '/pmapi/CTX/derive?name=my.a&expr=mem.physmem%2B%2B3', as: 'error' },
  { request: '/pmapi/CTX/derive?name=my.a&expr=sum(mem.physmem', as: 'error' },
  { request: '/pmapi/CTX/derive?name=my.a&expr=mem.physmem%2Bhinv.ncpu', as: 'error' },
  { request: '/pmapi/CTX/derive?name=my.a&expr=disk.dev.read%2Bkernel.all.load', as: 'error' },
  {
    request: '/pmapi/CTX/derive?name=my.a',
    as: 'error',
    differs: 'pmgate says which parameter is missing behind the wording of pmproxy',
    pmgate: { status: 400, body: /"message":"invalid derive parameters: 'expr' is missing"/ },
  },
  {
    request: '/pmapi/CTX/derive?expr=mem.physmem',
    as: 'error',
    differs: 'pmproxy takes the expression for a definition without end; pmgate says that the name is missing',
    pmgate: { status: 400, body: /"message":"invalid derive parameters: 'name' is missing/ },
  },
  {
    request: '/pmapi/CTX/derive?name=my.a&expr=no.such',
    as: 'error',
    differs: 'pmproxy 6 takes metrics that do not exist, and the metric never has values; pmproxy 7 refuses them',
    pmgate: { status: 422, body: /Semantic Error: pmAddDerivedMetric.*Unknown operand metric/ },
  },
  {
    request: '/pmapi/CTX/derive?name=my.a&expr=5*(kernel.all.load%2Bdisk.dev.read)',
    as: 'error',
    differs: 'the caret of pmgate stands below the construct at fault, that of pmproxy in column 0',
    pmgate: { status: 422, body: /Semantic Error: pmAddDerivedMetric\(\\"my.a\\", ...\)\\n.*\\n {3}\^\\n/ },
  },
  {
    request: '/pmapi/CTX/derive?name=9bad%20name&expr=1',
    as: 'error',
    differs: 'pmproxy takes any text as a name',
    pmgate: { status: 400, body: /"parameter":"name"/ },
  },
  {
    request: '/pmapi/CTX/derive',
    body: 'my.a = mem.physmem * 3',
    as: 'equal',
    differs: 'pmproxy wants a newline behind the last definition',
    pmgate: { status: 200, body: /"success":true/ },
  },
  {
    request: '/pmapi/CTX/derive',
    body: 'my.a = mem.physmem * 3\nmy.b = mem.physmem ** 2\n',
    as: 'error',
    differs: 'pmproxy says "failed to create derived metric", and keeps those before the one that is wrong',
    pmgate: { status: 400, body: /\[expr:2\] Error: Syntax Error: pmAddDerivedMetric/ },
  },
  {
    request: '/pmapi/CTX/derive',
    body: 'my.a = 2\n',
    after: ['derive?name=my.a&expr=1'],
    as: 'error',
    differs: 'pmproxy leads with "failed to create derived metric"; both say what is matched',
    pmgate: { status: 409, body: /Duplicate per-context derived metric name/ },
  },
  {
    request: '/pmapi/CTX/metric?name=my.a',
    after: ['derive?name=my.a&expr=no.such'],
    as: 'error',
    differs: 'what does not bind is not kept in pmgate, so that its name stays free',
    pmgate: { status: 404, body: /Unknown metric name/ },
  },
  {
    request: '/pmapi/derive',
    as: 'error',
    differs: 'pmproxy answers an HTML page; pmgate answers JSON',
    pmgate: { status: 400, body: /"parameter":"expr"/ },
  },
  {
    request: '/nosuch',
    as: 'error',
    differs: 'pmproxy answers 400 and an HTML page to an unknown path; pmgate 404 and JSON',
    pmgate: { status: 404, body: /"code":"NOT_FOUND"/ },
  },
];

/** Members whose values belong to one server or one moment. */
const VOLATILE: ReadonlySet<string> = new Set([
  'context',
  'timestamp',
  'series',
  'source',
  'text-oneline',
  'text-help',
]);

/** What pmgate's answers may hold beside pmproxy's members. */
const ADDITIONS: ReadonlySet<string> = new Set([
  'kind',
  'warnings',
  'code',
  'pmErr',
  'parameter',
  'expected',
  'position',
]);

/** A JSON value reduced to what must agree: values of volatile members by kind, labels by name. */
function reduce(value: unknown, how: Comparison, member = ''): unknown {
  if (VOLATILE.has(member)) return typeof value;
  if (Array.isArray(value)) {
    const elements = value.map((element) => reduce(element, how, member));
    if (how !== 'shape') return elements;
    return [...new Set(elements.map((element) => JSON.stringify(element)))]
      .sort()
      .map((text) => JSON.parse(text) as unknown);
  }
  if (typeof value === 'object' && value !== null) {
    if (member === 'labels') return 'labels';
    const members = Object.entries(value).filter(([name]) => !ADDITIONS.has(name));
    return Object.fromEntries(
      members
        .map(([name, inner]): [string, unknown] => [name, reduce(inner, how, name)])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  }
  return how === 'shape' ? (value === null ? null : typeof value) : value;
}

function parse(answer: PlainAnswer): unknown {
  return JSON.parse(answer.body) as unknown;
}

/** Hold an answer of pmgate against pmproxy's, or against what is said of a deliberate difference. */
function compare({ as, pmgate }: Case, ours: PlainAnswer, theirs: PlainAnswer): void {
  if (pmgate) {
    expect({ status: ours.status, body: ours.body }).toEqual({
      status: pmgate.status,
      body: expect.stringMatching(pmgate.body ?? /./),
    });
    expect(() => parse(ours)).not.toThrow();
    expect({ status: ours.status, body: ours.body }).not.toEqual({ status: theirs.status, body: theirs.body });
  } else if (as === 'error') {
    expect(Math.floor(ours.status / 100)).toBe(Math.floor(theirs.status / 100));
    // The line end that closes a text of several lines is left out.
    const { message } = parse(theirs) as { message: string };
    expect((parse(ours) as { message: string }).message).toBe(message.trimEnd());
    expect(parse(ours)).toMatchObject({ success: false });
  } else {
    expect(ours.status).toBe(theirs.status);
    expect(ours.contentType).toBe(theirs.contentType);
    expect(ours.body.endsWith('\r\n')).toBe(theirs.body.endsWith('\r\n'));
    expect(reduce(parse(ours), as)).toEqual(reduce(parse(theirs), as));
  }
}

describeWithPcp('pmgate beside pmproxy', () => {
  let pmcd: RunningPmcd;
  let pmproxy: RunningPmproxy;
  let gateway: RunningGateway;
  const equal: string[] = [];

  beforeAll(async () => {
    pmcd = await startPmcd();
    pmproxy = await startPmproxy(pmcd.port);
    gateway = await startGateway({ PMGATE_LOCAL_SOURCE: 'embedded' });
  });

  afterAll(async () => {
    const same = CASES.filter((c) => c.differs === undefined).length;
    process.stdout.write(`pmproxy: ${equal.length} of ${CASES.length} as expected (${same} equal, `);
    process.stdout.write(`${CASES.length - same} deliberately different)\n`);
    await gateway.close();
    await pmproxy.stop();
    await pmcd.stop();
  });

  async function ask(port: number, { request, body, after = [] }: Case): Promise<PlainAnswer> {
    const headers = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
    if (!request.includes('CTX')) return get(port, request, headers, body);
    const { context } = JSON.parse((await get(port, '/pmapi/context?polltimeout=600')).body) as { context: number };
    for (const earlier of after) await get(port, `/pmapi/${context}/${earlier}`);
    return get(port, request.replace('CTX', String(context)), headers, body);
  }

  it.each(CASES)('answers $request as pmproxy does', async (asked) => {
    const { request, as } = asked;
    const theirs = await ask(pmproxy.port, asked);
    const ours = await ask(gateway.port, asked);
    const row = area(as === 'error' ? 'PMWEBAPI: errors' : 'PMWEBAPI: answers');
    try {
      compare(asked, ours, theirs);
    } catch (error) {
      row.wrong(`${request}: ${(error as Error).message}`);
      throw error;
    }
    if (asked.differs === undefined) row.equal();
    else row.different(asked.differs);
    equal.push(request);
  });
});
