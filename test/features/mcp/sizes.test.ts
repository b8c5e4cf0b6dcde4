/** How large answers are, and what cut ones suggest: random calls over thirty archives. */
import fc from '../../support/properties.js';
import type { Told } from './support/assistant.js';
import { assistantOn } from './support/served.js';
import { type Varied, variedArchives } from './support/varied-archives.js';

const VARIED = variedArchives();
const served = assistantOn((archives) => {
  for (const [i, { builder }] of VARIED.entries()) builder.write(archives, `a${String(i).padStart(2, '0')}`);
});

type Call = readonly [tool: string, given: Record<string, unknown>];

function isoOf(sec: number): string {
  return new Date(Math.round(sec) * 1000).toISOString();
}

function callsOf({ host, names, instances, start, finish }: Varied): fc.Arbitrary<Call> {
  const span = finish - start;
  const window = fc
    .tuple(fc.double({ min: 0, max: 0.5, noNaN: true }), fc.double({ min: 0.6, max: 1, noNaN: true }))
    .map(([a, b]) => ({ start: isoOf(start + a * span - 1), finish: isoOf(start + b * span + 1) }));
  const some = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 12 });
  const count = fc.integer({ min: 1, max: 50 });
  const words = fc.constantFrom('app', 'metric', 'group1', 'counts', 'long line of help', 'metric1 metric2');
  const instance = fc.option(fc.integer({ min: 0, max: Math.max(0, instances - 1) }), { nil: undefined });
  const chosen = instance.map((n) => (n === undefined || instances === 0 ? {} : { instance: `#${n}` }));
  const numeric = names.filter((_, m) => m % 9 !== 8);
  const operand = fc.constantFrom(...numeric);
  const call = (tool: string, given: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Call> =>
    fc
      .record(given)
      .map((made) => [
        tool,
        { host, ...Object.fromEntries(Object.entries(made).filter(([, one]) => one !== undefined)) },
      ]);
  return fc.oneof(
    fc.constant(['pcp_hosts', {}] as const),
    fc.constant(['pcp_hosts', { host }] as const),
    window.map((one) => ['pcp_diagnose', { host, ...one }] as const),
    fc
      .tuple(window, count)
      .map(
        ([one, limit]) =>
          [
            'pcp_changes',
            { host, start: one.start, finish: one.finish, before: `${isoOf(start - 1)},${one.start}`, limit },
          ] as const,
      ),
    call('pcp_find', { words, limit: fc.option(count, { nil: undefined }) }),
    fc
      .tuple(window, some, count, chosen)
      .map(([one, given, top, only]) => ['pcp_query', { host, ...one, names: given, top, ...only }] as const),
    fc
      .tuple(window, operand, count)
      .map(([one, name, top]) => ['pcp_query', { host, ...one, expr: `${name} * 2`, top }] as const),
    fc
      .tuple(window, some, chosen)
      .map(([one, given, only]) => ['pcp_why', { host, at: one.finish, names: given, ...only }] as const),
    fc
      .tuple(window, operand)
      .map(([one, name]) => ['pcp_check_expression', { host, expr: `${name} + 1`, at: one.finish }] as const),
    operand.map((name) => ['pcp_check_expression', { host, expr: `${name}x + ${name}y` }] as const),
    fc.string({ maxLength: 200 }).map((expr) => ['pcp_check_expression', { host, expr: `${expr} ` }] as const),
  );
}

/** What may be refused: a window without samples, an expression that is none, an instance of a metric that has none. */
const REFUSALS = /^(?:NO_SAMPLES|BAD_|UNKNOWN_|WRONG_|TOO_|NOT_|DERIVED|VALUES|PM_ERR|UNAVAILABLE)/;

/** Each call that an answer suggests, wherever it does. */
function suggested({ text, next }: Told): readonly Call[] {
  const repairs = [...text.matchAll(/repair: (pcp_\w+) (\{.*\})$/gm)].map(
    ([, tool, given]) => [tool!, JSON.parse(given!) as Record<string, unknown>] as const,
  );
  return [...(next ? [[next.tool, next.arguments] as const] : []), ...repairs];
}

describe('the size of answers', () => {
  it('is bounded; the call that a cut answer suggests is valid, and has a smaller one', async () => {
    const sizes: number[] = [];
    const tools = new Map<string, number>();
    let [cuts, refused] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...VARIED).chain(callsOf), async ([name, given]) => {
        const told = await served.assistant.call(name, { ...given });
        sizes.push(told.tokens);
        if (told.isError) {
          refused++;
          expect([name, given, told.text]).toEqual([name, given, expect.stringMatching(REFUSALS)]);
          return;
        }
        tools.set(name, (tools.get(name) ?? 0) + 1);
        for (const [tool, more] of suggested(told)) {
          const narrower = await served.assistant.call(tool, { host: given.host, ...more });
          expect([name, given, more, narrower.isError, narrower.text]).toEqual([
            name,
            given,
            more,
            false,
            expect.any(String),
          ]);
        }
        if (!told.text.includes('\nCut: ') || /\nCut: .* shown, as asked$/m.test(told.text)) return;
        cuts++;
        expect([name, told.text, told.next]).toEqual([name, told.text, expect.anything()]);
        const narrower = await served.assistant.call(told.next!.tool, told.next!.arguments);
        expect([name, given, told.next, narrower.items.length > 0]).toEqual([name, given, told.next, true]);
        expect([name, given, told.next, narrower.tokens < told.tokens]).toEqual([name, given, told.next, true]);
      }),
      { numRuns: 200 },
    );
    sizes.sort((a, b) => a - b);
    expect(tools.size).toBe(7);
    expect(cuts).toBeGreaterThan(20);
    expect(refused).toBeLessThan(sizes.length / 4);
    expect(sizes[Math.floor(sizes.length * 0.95)]).toBeLessThanOrEqual(800);
    expect(sizes.at(-1)).toBeLessThanOrEqual(4000);
  });
});
