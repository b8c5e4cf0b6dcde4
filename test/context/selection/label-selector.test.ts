import fc from '../../support/properties.js';
import { type LabelMatcher, parseLabelSelector } from '../../../src/context/selection/label-selector.js';
import { GatewayError, makeLabel, SourceTextError } from '../../../src/pmapi/index.js';

const LABELS = [
  makeLabel('agent', 'linux'),
  makeLabel('units', 3),
  makeLabel('short', true),
  { name: 'cgroup', json: '{"name":"web","deep":{"er":"x"}}' },
  makeLabel('nodes', ['a', 'b']),
  { name: 'broken', json: '"oops' },
];

/** The text of a selector that parses to these conditions. */
function formatLabelSelector(matchers: readonly LabelMatcher[]): string {
  const escapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '"': '\\"', '\\': '\\\\' };
  const quote = (value: string): string => value.replace(/[\\"\n\r\t]/g, (char) => escapes[char]!);
  return matchers.map(({ name, operator, value }) => `${name}${operator}"${quote(value)}"`).join(',');
}

describe('parseLabelSelector', () => {
  it.each([
    ['agent="linux"', true],
    ['agent="lin"', false],
    ['agent!="linux"', false],
    ['agent=~"lin.*"', true],
    ['agent=~"in"', false],
    ['agent=~"lin|linux"', true],
    ['agent!~"lin"', true],
    ['agent!~"l.*"', false],
    ["{ agent = 'linux' , units = `3`, }", true],
    ['units="3",short="true"', true],
    ['units="3",short="false"', false],
    ['cgroup.name="web",cgroup.deep.er="x"', true],
    ['nodes="[\\"a\\",\\"b\\"]"', true],
    ['absent=""', true],
    ['absent!="x"', true],
    ['absent=~".+"', false],
    ['agent=~"(?i)LINUX"', true],
    ['units=~"\\d"', true],
    ['broken="\\"oops"', true],
  ])('%s', (text, expected) => {
    expect(parseLabelSelector(text).matches(LABELS)).toBe(expected);
  });

  it.each([
    ['', 0, 'at least one condition'],
    ['{}', 2, 'at least one condition'],
    ['agent', 5, 'expected =, !=, =~ or !~ after agent'],
    ['agent>"linux"', 5, 'found ">"'],
    ['agent==x', 6, 'quoted string after agent='],
    ['agent=linux', 6, 'quoted string'],
    ['agent="linux', 6, 'unterminated string'],
    ['="x"', 0, 'expected a label name'],
    ['9a="x"', 0, 'expected a label name'],
    ['a="1" b="2"', 6, 'expected a comma'],
    ['{a="1" b="2"}', 7, 'a comma or a closing brace'],
    ['{a="1"', 6, 'a comma or a closing brace'],
    ['{a="1"} x', 8, 'after the closing brace'],
    ['a="1",,b="2"', 6, 'expected a label name'],
  ])('tells what is wrong with %j and where', (text, offset, message) => {
    const error = errorOf(text);
    expect([error.code, error.details['parameter'], error.offset]).toEqual(['BAD_PARAMETER', 'labels', offset]);
    expect(error.message).toContain(message);
  });

  it('tells a regular expression that does not compile, with its place', () => {
    for (const text of ['agent="x",a=~"("', 'agent="x",a!~"("', 'agent="x",a=~"a)(b"']) {
      const error = errorOf(text);
      expect([error.code, error.offset, error.end]).toEqual(['BAD_PATTERN', 13, text.length]);
    }
  });

  it('refuses regular expressions that cost too much, and takes those that are usual', () => {
    for (const text of [
      'a=~"(abcdefghij){400}"',
      'a=~"((b{20}){20}){20}"',
      `a=~"${'x'.repeat(2500)}",b=~"${'x'.repeat(1550)}"`,
    ]) {
      expect(errorOf(text).code).toBe('LIMIT_EXCEEDED');
    }
    for (const text of ['id=~"[a-f0-9]{64}"', String.raw`ip=~"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}"`]) {
      expect(parseLabelSelector(text).matchers).toHaveLength(1);
    }
  });

  it('refuses a selector that is too long, without reading it', () => {
    expect(errorOf(`a="${'x'.repeat(5000)}"`).message).toContain('4096');
  });

  it('reads what it writes', () => {
    const matcher = fc.record({
      name: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.:]{0,8}$/),
      operator: fc.constantFrom<LabelMatcher['operator'][]>('=', '!='),
      value: fc.string({ unit: 'grapheme', maxLength: 20 }),
    });
    fc.assert(
      fc.property(fc.array(matcher, { minLength: 1, maxLength: 5 }), (matchers) => {
        expect(parseLabelSelector(formatLabelSelector(matchers)).matchers).toEqual(matchers);
        expect(parseLabelSelector(`{${formatLabelSelector(matchers)}}`).matchers).toEqual(matchers);
      }),
    );
  });

  it('says of whatever text what is wrong with it, or takes it', () => {
    const part = fc.constantFrom('a', 'b="1"', '=', '!=', '=~', '"(', '"', ',', '{', '}', ' ', '\\', "'", '`', '\n');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        try {
          expect(parseLabelSelector(text).matchers.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(SourceTextError);
          expect((error as SourceTextError).offset).toBeLessThanOrEqual(text.length);
        }
      }),
    );
  });

  it('decides as comparing the texts one by one does', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const value = fc.constantFrom('', 'x', 'y');
    const matcher = fc.record({
      name,
      operator: fc.constantFrom<LabelMatcher['operator'][]>('=', '!=', '=~', '!~'),
      value,
    });
    const labels = fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key });
    fc.assert(
      fc.property(fc.array(matcher, { minLength: 1, maxLength: 3 }), labels, (matchers, present) => {
        const texts = new Map(present);
        const expected = matchers.every(
          (one) => ((texts.get(one.name) ?? '') === one.value) === one.operator.startsWith('='),
        );
        const selector = parseLabelSelector(formatLabelSelector(matchers));
        expect(selector.matches(present.map(([key, text]) => makeLabel(key, text)))).toBe(expected);
      }),
    );
  });
});

function errorOf(text: string): SourceTextError {
  try {
    parseLabelSelector(text);
  } catch (error) {
    expect(error).toBeInstanceOf(GatewayError);
    return error as SourceTextError;
  }
  throw new Error(`${text} was taken`);
}
