/** Texts for users are in plain English: phrases that earlier versions had, and that readers had to translate back, must not return. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** Files that hold texts for users. */
const FILES = [
  'openapi.yaml',
  'src/http/compat-operations.yaml',
  'config/pmgate.schema.json',
  'config/pmgate.yaml',
  'README.md',
  'CHANGELOG.md',
  'src/pmapi/errors.ts',
  'src/cli/command-line.ts',
  'src/shell/program.ts',
  'src/shell/exit-codes.ts',
  'src/sources/linux/catalog/help.txt',
  'src/gateway/gateway-help.txt',
  ...['src', 'test'].flatMap(pagesBelow),
];

function pagesBelow(directory: string): readonly string[] {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.md')).map((file) => path.join(directory, file));
}

/** What must not come back, and what to write instead. Case does not matter. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bof late\b/, 'recently'],
  [/(?<!there )\b(?:is|are|was|were) none\b/, 'there is no …, or "invalid …", "unknown …"'],
  [/(?<!there )\bis no (?:name|list|role|number|metric|question)\b/, 'invalid …, expected …'],
  [/\bthat there (?:is|are) not\b/, 'unknown …'],
  [/\bwants? (?:a|an|some|one|the|to be)\b/, 'requires, needs, expects'],
  [/\bwho(?:so)?ever\b/, 'anyone who, the client that'],
  [/\b(?:no|some)body\b/, 'no one, a client, a user'],
  [/\bbut for\b/, 'except, without'],
  [/\bleads? elsewhere\b/, 'changed, points to another …'],
  [/\banew\b/, 'again'],
  [/\b(?:is|are|was|were) told\b/, 'is reported, is listed'],
  [/\b(?:is|are|was|were) let in\b/, 'may connect, is allowed'],
  [/\bin the order asked\b/, 'in the order requested'],
  [/\b(?:is|are|was|were) held of\b/, 'is recorded of, is remembered of'],
  [/\bas a rule\b/, 'usually'],
  [/\botherwise than\b/, 'differently from'],
  [/\ball but\b/, 'all except'],
  [/\bdo(?:es)? not have any ?more\b/, 'no longer has'],
  [/\bwithout being asked\b/, 'even without requests'],
  [/\bbelongs? into\b/, 'belongs in'],
  [/\bno finding\b/, 'not a finding'],
  [/\bis begun\b/, 'begins'],
  [/\bunder way\b/, 'in progress'],
  [/\b(?:has|have) gone\b/, 'is gone, has left'],
  [/\b(?:as|where) (?:it stands|they stand|it lies|they lie)\b/, 'unchanged, in place'],
  [/\bwhat is (?:remembered|recorded|held|seen) of\b/, 'remembered samples of'],
  [/\bfor want of\b/, 'for lack of'],
  [/\bfor ever\b/, 'forever'],
  [/\bcan(?:not)? be had\b/, 'is (not) available'],
  [/\bwithout a word\b/, 'silently'],
  [/\bthere(?:of|in|upon)\b|\bwhence\b|\breckons?\b|\bsought\b/, 'an ordinary word'],
  [/\bcomes? to grief\b|\blest\b|\bbesides which\b/, 'an ordinary word'],
];

/** The same for comments: what readers of the code had to translate back. */
const COMMENT_PHRASES: typeof PHRASES = [
  ...PHRASES.filter(([phrase]) => !phrase.source.includes('told')),
  [/\bfor who\b|\bwho (?:asks|takes|reads|comes) \b/, 'the caller, clients that'],
  [/, be it \b/, 'even, whether'],
  [/\bmade ready\b/, 'prepared'],
  [/\bwhat (?:became|becomes) of\b/, 'the outcome of, the result of'],
  [/\bturned away\b/, 'rejected'],
];

/** The string literals and templates of the sources: messages, warnings, help texts. Without generated files and the catalogs of metrics. */
function literalsOf(file: string): string {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const literals: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) literals.push(node.getText(source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return literals.join('\n');
}

/** The comments of a source file, by line number, so that positions are right. */
function commentsOf(file: string): string {
  const text = readFileSync(file, 'utf8');
  return text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*|[^\n]/g, (part) => (part.length > 1 ? part : ''));
}

const CODE = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.generated\.ts$|\/catalog\/|gateway-metrics/.test(file))
  .map((file) => path.join('src', file));

/** The occurrences of forbidden phrases as `file:line: "phrase": write …`; a phrase may go over the end of a line. */
function forbiddenIn(file: string, text: string, phrases = PHRASES): readonly string[] {
  return phrases.flatMap(([phrase, better]) => {
    const pattern = new RegExp(phrase.source.replaceAll(' ', '[\\s#*/]+'), 'gi');
    return [...text.matchAll(pattern)].map(({ 0: found, index }) => {
      const line = text.slice(0, index).split('\n').length;
      return `${file}:${line}: "${found.replace(/\s+/g, ' ')}": write ${better}`;
    });
  });
}

describe('texts for users', () => {
  it.each(FILES)('%s: has none of the phrases that must not come back', (file) => {
    expect(forbiddenIn(file, readFileSync(file, 'utf8'))).toEqual([]);
  });

  it('in the code (messages, warnings, help): have none of them either', () => {
    expect(CODE.length).toBeGreaterThan(300);
    expect(
      CODE.flatMap((file) => forbiddenIn(file, literalsOf(file)).map((found) => found.replace(/:\d+:/, ':'))),
    ).toEqual([]);
  });

  it('in comments: have none of them either', () => {
    expect(CODE.flatMap((file) => forbiddenIn(file, commentsOf(file), COMMENT_PHRASES))).toEqual([]);
  });

  it('are searched across the ends of lines, also of comments', () => {
    const text = 'Memory for samples of\n# late. The answer is\nnone. Nobody knows Of Late.\n';
    expect(forbiddenIn('x.yaml', text).map((finding) => finding.split('": ')[0])).toEqual([
      'x.yaml:1: "of # late',
      'x.yaml:3: "Of Late',
      'x.yaml:2: "is none',
      'x.yaml:3: "Nobody',
    ]);
  });
});
