import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Asked, candidatesOf } from '../../src/shell/completion/candidates.js';
import { completionScript, SHELLS } from '../../src/shell/completion/scripts.js';
import { createProgram } from '../../src/shell/program.js';
import { HELP } from '../../src/cli/command-line.js';
import { Api } from '../support/api.js';
import { shell } from './fake-terminal.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const COMMANDS =
  'serve fetch metric range stream derive archives timeline search changes diagnose why mcp check-config health conformance bench passwd token completion help'.split(
    ' ',
  );

const program = createProgram({ version: '0', act: () => Promise.resolve() });

function asking(answers: Partial<Asked>): () => Asked {
  const nothing = (): Promise<never> => Promise.reject(new Error('no gateway'));
  return () => ({
    children: nothing,
    archives: nothing,
    metrics: nothing,
    indom: nothing,
    derived: { list: nothing },
    ...answers,
  });
}

async function texts(words: readonly string[], answers: Partial<Asked> = {}): Promise<readonly string[]> {
  return (await candidatesOf(program, words, asking(answers))).map(({ text }) => text);
}

describe('candidatesOf', () => {
  it.each([
    [[''], COMMANDS],
    [['f'], ['fetch']],
    [
      ['derive', ''],
      ['check', 'list', 'add', 'rm', 'load'],
    ],
    [['help', 'der'], ['derive']],
    [
      ['fetch', '--in'],
      ['--instance', '--instance-id', '--interval'],
    ],
    [
      ['fetch', '--hos'],
      ['--host', '--hostzone'],
    ],
    [['fetch', '--ur'], ['--url']],
    [['-'], ['--url', '--token', '--user', '--output', '--color', '--no-color', '--version', '--help']],
    [
      ['fetch', '--match', ''],
      ['exact', 'glob', 'regex'],
    ],
    [['--url', 'http://x', 'fetch', '-o', 'j'], ['json']],
    [['fetch', '--output=c'], ['--output=csv']],
    [
      ['fetch', '--match='],
      ['--match=exact', '--match=glob', '--match=regex'],
    ],
    [['fetch', '--rate=y'], []],
    [['serve', '--config=my'], [':files']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['check-config', 'conf'], [':files']],
    [['derive', 'load', ''], [':files']],
    [['derive', 'add', ''], []],
    [['fetch', '--top', ''], []],
    [['archives', ''], []],
    [['no-such', ''], []],
    [[], COMMANDS],
  ])('%j may become %j', async (words, expected) => {
    expect(await texts(words)).toEqual(expected);
  });

  it('knows the next components of names, nodes with a dot', async () => {
    const asked: unknown[] = [];
    const children: Asked['children'] = (prefix, where) => {
      asked.push(prefix, where);
      return Promise.resolve({ context: 1, name: '', leaf: ['load', 'uptime'], nonleaf: ['cpu'] });
    };
    expect(await texts(['fetch', '--archive', 'a/b', 'kernel.all.'], { children })).toEqual([
      'kernel.all.load',
      'kernel.all.uptime',
      'kernel.all.cpu.',
    ]);
    expect(await texts(['fetch', 'mem.free,kernel.all.lo'], { children })).toEqual(['mem.free,kernel.all.load']);
    expect(await texts(['metric', '--prefix=kernel.all.c'], { children })).toEqual(['--prefix=kernel.all.cpu.']);
    expect(await texts(['metric', '--prefix', 'c'], { children })).toEqual(['cpu.']);
    expect(asked).toEqual([
      'kernel.all',
      { hostspec: undefined, archive: 'a/b' },
      'kernel.all',
      { hostspec: undefined, archive: undefined },
      'kernel.all',
      { hostspec: undefined, archive: undefined },
      '',
      { hostspec: undefined, archive: undefined },
    ]);
  });

  it('knows archives, and the derived metrics that can be removed', async () => {
    const archives: Asked['archives'] = () => Promise.resolve([{ name: 'web1/a', hostspec: 'web1' }, { name: 'b' }]);
    expect(await texts(['range', 'm', '--archive', 'we'], { archives })).toEqual(['web1/a']);
    const derived: Asked['derived'] = {
      list: () => Promise.resolve([{ name: 'my.a', expression: '1', canonical: '1', pmid: '511.0.1', origin: 'api' }]),
    };
    expect(await candidatesOf(program, ['derive', 'rm', ''], asking({ derived }))).toEqual([
      { text: 'my.a', description: '1' },
    ]);
  });

  it('knows no names when no gateway answers', async () => {
    expect(await texts(['fetch', 'k'])).toEqual([]);
    expect(await shell(['complete', '--', '--url', 'nonsense://x', 'fetch', 'k'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
      waits: [],
    });
  });
});

describe('pmgate --help', () => {
  it('names every command', () => {
    for (const command of program.commands)
      expect(HELP).toMatch(new RegExp(`^ {2}${command.name()} |\\[serve\\]`, 'm'));
  });
});

const isInstalled = (name: string): boolean => spawnSync(name, ['--version']).status === 0;

describe('completionScript', () => {
  it.each(SHELLS)('%s: pmgate completion prints it', async (name) => {
    expect(await shell(['completion', name])).toMatchObject({ code: 0, stdout: completionScript(name) });
  });
});

describe('the completion script completes commands, nodes, metrics, files, and behind : and =', () => {
  const directory = temporaryDirectory().path;
  let url: string;
  /** A pmgate that gives the answers that the program gave to the same words, and the script of each shell. */
  beforeAll(async () => {
    const api = await Api.start();
    ({ url } = api);
    const asked = [
      ['fet'],
      ['fetch', 'kernel.'],
      ['fetch', 'kernel.all.lo'],
      ['fetch', 'kernel.all.load', '-i', '5'],
      ['fetch', '--match=e'],
      ['--url', url, 'fetch', 'mem.util.fr'],
      ['check-config', 'm'],
      ['serve', '--config=m'],
    ];
    for (const words of asked) {
      const { stdout } = await shell(['complete', '--', ...words], { url });
      writeFileSync(path.join(directory, words.join('_').replaceAll('/', '%')), stdout);
    }
    await api.stop();
    const fake = `#!/bin/sh\nshift 2; IFS=_\ncat "${directory}/$(printf %s "$*" | tr / %)"\n`;
    mkdirSync(path.join(directory, 'bin'));
    writeFileSync(path.join(directory, 'bin', 'pmgate'), fake, { mode: 0o755 });
    writeFileSync(path.join(directory, 'bin', 'npx'), '#!/bin/sh\nshift; exec "$@"\n', { mode: 0o755 });
    for (const name of SHELLS) writeFileSync(path.join(directory, `script.${name}`), completionScript(name));
    mkdirSync(path.join(directory, 'here'));
    writeFileSync(path.join(directory, 'here', 'my file.yaml'), '');
  });

  function run(name: string, script: string): string {
    const { stdout, stderr } = spawnSync(name, ['-c', script], {
      encoding: 'utf8',
      timeout: 100_000,
      cwd: path.join(directory, 'here'),
      env: {
        PATH: `${directory}/bin:${process.env.PATH ?? ''}`,
        HOME: directory,
        XDG_CONFIG_HOME: directory,
        TERM: 'vt100',
      },
    });
    expect(stderr).toBe('');
    return stdout;
  }

  it('in bash', () => {
    // Bash hands over what was written, and the words that it makes of it: : and = are some of their own.
    const [scheme, rest] = url.split(':').slice(0, 2);
    const port = url.split(':')[2]!;
    const script = `
      source '${directory}/script.bash'
      try() { COMP_LINE=$1; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pmgate; printf '<%s>' "\${COMPREPLY[@]}"; echo; }
      try 'pmgate fet' pmgate fet
      try 'pmgate fetch  kernel.' pmgate fetch kernel.
      try 'pmgate fetch kernel.all.lo' pmgate fetch kernel.all.lo
      try 'npx pmgate fetch kernel.all.lo' npx pmgate fetch kernel.all.lo
      COMPREPLY=(); try 'npx other fet' npx other fet
      try 'pmgate fetch kernel.all.load -i 5' pmgate fetch kernel.all.load -i 5
      try 'pmgate fetch --match=e' pmgate fetch --match = e
      try 'pmgate --url ${url} fetch mem.util.fr' pmgate --url ${scheme!} : ${rest!} : ${port} fetch mem.util.fr
      try 'pmgate check-config m' pmgate check-config m
      try 'pmgate serve --config=m' pmgate serve --config = m`;
    expect(run('bash', script).split('\n')).toEqual([
      '<fetch>',
      '<kernel.all.>',
      '<kernel.all.load>',
      '<kernel.all.load>',
      '<>',
      '<5\\ minute>',
      '<exact>',
      '<mem.util.free>',
      '<my file.yaml>',
      '<my file.yaml>',
      '',
    ]);
  });

  (isInstalled('fish') ? it : it.skip)('in fish', () => {
    const lines = ['fet', 'fetch kernel.', 'fetch kernel.all.lo', 'fetch --match=e', `--url ${url} fetch mem.util.fr`];
    lines.push('check-config m', 'serve --config=m');
    const typed = [...lines.map((line) => `pmgate ${line}`), 'npx pmgate fet', 'pmgate fetch kernel.all.load -i 5'];
    const script = `source '${directory}/script.fish'\n${typed.map((line) => `complete -C '${line}'\n`).join('')}`;
    expect(run('fish', script).split('\n')).toEqual([
      'fetch\tprint current values of metrics',
      'kernel.all.',
      'kernel.all.load',
      '--match=exact',
      'mem.util.free',
      'my file.yaml',
      '--config=my file.yaml',
      'fetch\tprint current values of metrics',
      '5 minute',
      '',
    ]);
  });

  (isInstalled('zsh') ? it : it.skip)('in zsh, where it is typed', () => {
    // A zsh at a terminal of its own gets what a person types, a tab at the end, and a key that writes down what became of it.
    const written = path.join(directory, 'written');
    const setUp = [
      'autoload -Uz compinit; compinit -u -D',
      `source '${directory}/script.zsh'`,
      `write() { print -r -- "<$BUFFER>" >> '${written}'; BUFFER= }; zle -N write; bindkey '^T' write`,
      "zle-line-init() { print -n be''gun }; zle -N zle-line-init",
    ].join('; ');
    const script = `
      zmodload zsh/zpty
      zpty typed zsh -f -i
      zpty -w typed ${quoted(setUp)}
      zpty -r typed screen '*begun*'
      for line in fet 'fetch kernel.' 'fetch kernel.all.lo' 'fetch --match=e' '--url ${url} fetch mem.util.fr' \\
        'check-config m' 'serve --config=m'; do
        zpty -w -n typed "pmgate $line"$'\\t\\x14'
      done
      zpty -w -n typed 'npx pmgate fet'$'\\t\\x14'
      zpty -w -n typed 'pmgate fetch kernel.all.load -i 5'$'\\t\\x14'
      zpty -w typed exit
      while zpty -r typed screen; do :; done`;
    run('zsh', script);
    expect(readFileSync(written, 'utf8').split('\n')).toEqual([
      '<pmgate fetch >',
      '<pmgate fetch kernel.all.>',
      '<pmgate fetch kernel.all.load >',
      '<pmgate fetch --match=exact >',
      `<pmgate --url ${url} fetch mem.util.free >`,
      '<pmgate check-config my\\ file.yaml >',
      '<pmgate serve --config=my\\ file.yaml >',
      '<npx pmgate fetch >',
      '<pmgate fetch kernel.all.load -i 5\\ minute >',
      '',
    ]);
  });
});

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
