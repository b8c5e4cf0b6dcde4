import { type CheckProblem, type CheckReport, checkExpression } from '../../../src/derived/index.js';
import { Given } from '../support/given.js';

const given = new Given([
  {
    word: 'metrics',
    rest: '',
    lines: [
      'kernel.all.load FLOAT instant 60.2 ""',
      'kernel.all.uptime DOUBLE instant - "sec"',
      'disk.read U64 counter 60.1 "byte"',
      'disk.write U64 counter 60.1 "byte"',
      'mem.used U64 instant - "Kbyte"',
      'mem.total U64 instant - "Mbyte"',
      'temp.c DOUBLE instant - "temperature (C)"',
      'temp.f DOUBLE instant - "temperature (F)"',
      'single 32 instant - ""',
    ],
  },
  { word: 'derived', rest: 'my.sum', lines: [] },
]);

function check(text: string): CheckReport {
  return checkExpression(text, {
    environment: given,
    candidates: [...given.metrics.keys()],
    definitionOf: (name) => (name === 'my.sum' ? 'mem.used + mem.total' : undefined),
  }).report;
}

function onlyProblem(text: string): CheckProblem {
  const { errors } = check(text);
  expect(errors).toHaveLength(1);
  return errors[0]!;
}

describe('checkExpression', () => {
  it('tells how an expression is understood, and what every node is', () => {
    const report = check('!defined(x)||mem.used*2>10?single:no.such');
    expect(report).toMatchObject({
      ok: true,
      canonical: '!defined(x) || mem.used * 2 > 10 ? single : no.such',
      parenthesised: '((!defined(x)) || ((mem.used * 2) > 10)) ? single : no.such',
      metadata: { type: '32', semantics: 'instant', units: '', indom: null },
      errors: [],
    });
    const [guard, whenTrue, whenFalse] = report.tree!.children;
    expect(guard).toMatchObject({ kind: 'binary', operator: '||', start: 0, end: 26, selected: true });
    expect(guard!.children[1]!.children[0]!.metadata).toEqual({
      type: 'U64',
      semantics: 'instant',
      units: 'Kbyte',
      indom: null,
    });
    expect(whenTrue).toMatchObject({ selected: true, metadata: { type: '32' } });
    expect(whenFalse).toMatchObject({ selected: false, text: 'no.such' });
    expect(whenFalse).not.toHaveProperty('metadata');
  });

  it('accepts whatever stands in a guard that has been decided, as registration does, and needs none of its metrics', () => {
    const report = check('0 && mem.used ? 1 : single');
    expect(report).toMatchObject({ ok: true, errors: [] });
    expect(report.operands.map(({ name, needed }) => [name, needed])).toEqual([
      ['mem.used', false],
      ['single', true],
    ]);
    expect(report.tree!.children[0]!.children[1]!.metadata).toMatchObject({ units: 'Kbyte' });
  });

  it('lists the operands, and which of them are needed', () => {
    expect(check('0 ? mem.used : kernel.all.load + single').operands).toEqual([
      expect.objectContaining({ name: 'mem.used', known: true, needed: false }) as unknown,
      {
        name: 'kernel.all.load',
        known: true,
        needed: true,
        pmid: '100.0.1',
        metadata: { type: 'FLOAT', semantics: 'instant', units: '', indom: '60.2' },
      },
      expect.objectContaining({ name: 'single', needed: true }) as unknown,
    ]);
  });

  it('checks the syntax alone without an environment', () => {
    const { report } = checkExpression('no.such + 1');
    expect(report).toMatchObject({ ok: true, errors: [], operands: [{ name: 'no.such', known: false }] });
    expect(report).not.toHaveProperty('metadata');
  });

  it('finds every error, in order, with its place', () => {
    const { ok, errors } = check('no.a + (disk.read * disk.write) + my.sum + -(single[x])');
    expect(ok).toBe(false);
    expect(errors.map(({ code, position }) => `${code} ${position.offset}`)).toEqual([
      'unknown-metric 0',
      'nested-derived-metric 34',
      'counters 8',
      'no-instance-domain 45',
    ]);
    expect(errors[2]).toMatchObject({
      phase: 'semantic',
      reason: 'Illegal operator for counters',
      where: 'disk.read * disk.write',
      operator: '*',
      operands: ['disk.read', 'disk.write'],
      position: { offset: 8, end: 30, line: 1, column: 9 },
      excerpt: 'no.a + (disk.read * disk.write) + my.sum + -(single[x])\n        ^',
    });
  });

  it.each(['mkconst(1, meta=no.such)', '1 ? novalue(meta=no.such) : 2', 'single ? mkconst(1, meta=no.such) : 2'])(
    'tells an error once: %s',
    (text) => {
      expect(check(text).errors).toEqual([expect.objectContaining({ operands: ['no.such'] })]);
    },
  );

  it.each([
    ['1 ? no.such : 2', 'There is no metric no.such here, and the guard always selects it.'],
    ['single ? no.such : 2', 'There is no metric no.such here, and whether it is needed is not known in advance.'],
  ])('says why a metric is needed: %s', (text, explanation) => {
    expect(check(text).errors).toEqual([expect.objectContaining({ explanation }) as unknown]);
  });

  it.each([
    ['kernel.all.laod * 2', 'did you mean kernel.all.load?', 'kernel.all.load * 2'],
    [
      'single ? kernel.all.Load : kernel.all.load',
      'did you mean kernel.all.load?',
      'single ? kernel.all.load : kernel.all.load',
    ],
    ['kernel.all', 'kernel.all is a node of the PMNS; did you mean kernel.all.load?', undefined],
    ['disk.read / disk.write', 'delta() first: both are counters', 'delta(disk.read) / delta(disk.write)'],
    [
      '(disk.read + disk.read) / disk.write',
      'delta() first: both are counters',
      '(delta(disk.read + disk.read)) / delta(disk.write)',
    ],
    ['disk.read + 5', 'rate() first: one of the operands is a counter', 'rate(disk.read) + 5'],
    ['mem.used > disk.read', 'rate() or delta() first: one of the operands is a counter', 'mem.used > rate(disk.read)'],
    ['mem.used + 5.5', 'give the constant the same units', 'mem.used + mkconst(5.5, units="Kbyte")'],
    ['mem.used && 1', 'compare it with 0 first', 'mem.used != 0 && 1'],
    ['temp.c + temp.f', 'wrap in rescale(…, "temperature (C)")', 'temp.c + rescale(temp.f, "temperature (C)")'],
    ['single ? mem.used : mem.total', 'wrap in rescale(…, "Kbyte")', 'single ? mem.used : rescale(mem.total, "Kbyte")'],
    [
      'single ? mem.used : 0',
      'give the constant the metadata of the other arm',
      'single ? mem.used : mkconst(0, type=U64, semantics=instant, units="Kbyte")',
    ],
    ['my.sum * 2', 'write the other definition out in place of its name', '(mem.used + mem.total) * 2'],
    ['single[x] + 1', 'a singular metric has no instances to select', 'single + 1'],
    [
      'kernel.all.load > 1 ? single : single',
      'take one value of the guard with scalar()',
      'scalar(kernel.all.load > 1) ? single : single',
    ],
    ['single = 1', 'equality is ==', 'single == 1'],
    ['single & single', 'the operator is &&', 'single && single'],
    ['rat(disk.read)', 'did you mean rate()?', 'rate(disk.read)'],
    ['avg (kernel.all.load)', 'no space is allowed between avg and (', 'avg(kernel.all.load)'],
    ['sum(mem.used + 1)', 'sum() takes the name of a metric and nothing else', undefined],
  ])('suggests a repair for %j: %s', (text, words, expression) => {
    expect(onlyProblem(text).repair).toMatchObject({ text: words, ...(expression !== undefined && { expression }) });
  });

  it.each([
    ['single(', "Unexpected '(': found (. Expected an instance in brackets or an operator.", 6],
    ['mem.used (1)', "Unexpected '(': found (. Expected an instance in brackets or an operator.", 9],
    ['single)', "Unexpected ')': found ). Expected an instance in brackets or an operator.", 6],
    [')', "Unexpected initial ')': found ). Expected", 0],
    ['1 +', 'Arithmetic expression expected to follow PLUS: found end of expression. Expected', 3],
  ])('names what did not fit, at its place, and what would have: %s', (text, explanation, offset) => {
    const problem = onlyProblem(text);
    expect([problem.explanation.slice(0, explanation.length), problem.position.offset]).toEqual([explanation, offset]);
  });

  it('makes no repair up', () => {
    expect(onlyProblem('zzzzzz + 1')).not.toHaveProperty('repair');
    expect(onlyProblem('rate(rate(disk.read))')).not.toHaveProperty('repair');
  });

  it('is plain data', () => {
    const report = check('disk.read / no.such + mkconst(1, units=byte)');
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  it('stays small for deep expressions', () => {
    const report = check(Array(1_000).fill('single').join(' + '));
    expect(report.ok).toBe(true);
    expect(JSON.stringify(report.tree).length).toBeLessThan(1_500_000);
  });

  it('stays small for expressions in which everything is wrong', () => {
    const report = check(
      Array.from({ length: 400 }, (_, i) => `kernel.all.lod${i % 10}${'x'.repeat(i / 10)}`).join(' + '),
    );
    expect(report.errors).toHaveLength(32);
    expect(report.errors.filter(({ repair }) => repair)).toHaveLength(8);
  });
});
