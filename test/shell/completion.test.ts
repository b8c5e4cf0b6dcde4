import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { candidatesOf } from '../../src/shell/completion/candidates.js';
import type { Asked } from '../../src/shell/completion/candidates.js';
import { completionScript, SHELLS } from '../../src/shell/completion/scripts.js';
import { createProgram } from '../../src/shell/program.js';
import { HELP } from '../../src/command-line.js';
import { Api } from '../support/api.js';
import { shell } from './fake-terminal.js';

const program = createProgram({ version: '0', act: () => Promise.resolve() });

function asking(answers: Partial<Asked>): () => Asked {
  const nothing = (): Promise<never> => Promise.reject(new Error('no gateway'));
  return () => ({ children: nothing, archives: nothing, derived: { list: nothing }, ...answers });
}

async function texts(words: readonly string[], answers: Partial<Asked> = {}): Promise<readonly string[]> {
  return (await candidatesOf(program, words, asking(answers))).map(({ text }) => text);
}

describe('candidatesOf', () => {
  it.each([
    [
      [''],
      [
        'serve',
        'fetch',
        'metric',
        'range',
        'stream',
        'derive',
        'archives',
        'search',
        'check-config',
        'passwd',
        'token',
        'completion',
        'help',
      ],
    ],
    [['f'], ['fetch']],
    [
      ['derive', ''],
      ['check', 'list', 'add', 'rm', 'load'],
    ],
    [['help', 'der'], ['derive']],
    [
      ['fetch', '--in'],
      ['--instance', '--instance-id'],
    ],
    [['fetch', '--ur'], ['--url']],
    [['-'], ['--url', '--token', '--user', '--output', '--color', '--no-color', '--version', '--help']],
    [
      ['fetch', '--match', ''],
      ['exact', 'glob', 'regex'],
    ],
    [['--url', 'http://x', 'fetch', '-o', 'j'], ['json']],
    [['fetch', '--output', '=', 'c'], ['csv']],
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
    [
      [],
      [
        'serve',
        'fetch',
        'metric',
        'range',
        'stream',
        'derive',
        'archives',
        'search',
        'check-config',
        'passwd',
        'token',
        'completion',
        'help',
      ],
    ],
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
    expect(await texts(['metric', '--prefix', 'c'], { children })).toEqual(['cpu.']);
    expect(asked).toEqual([
      'kernel.all',
      { hostspec: undefined, archive: 'a/b' },
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

describe('completionScript', () => {
  it.each(SHELLS.filter((name) => spawnSync(name, ['--version']).status === 0))(
    '%s reads it without a fault',
    (name) => {
      const { status, stderr } = spawnSync(name, ['-n'], { input: completionScript(name), encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
  );

  it.each(SHELLS)('%s: pmgate completion prints it', async (name) => {
    expect(await shell(['completion', name])).toMatchObject({ code: 0, stdout: completionScript(name) });
  });

  it('completes in bash: commands, files, and metrics of a gateway', async () => {
    const api = await Api.start();
    const directory = mkdtempSync(path.join(os.tmpdir(), 'pmgate-completion-'));
    const answers = new Map<string, string>();
    for (const words of [['fet'], ['fetch', 'kernel.'], ['fetch', 'kernel.all.l'], ['check-config', 'm']]) {
      const { stdout } = await shell(['complete', '--', ...words], { url: api.url });
      answers.set(words.join(' '), stdout);
    }
    await api.stop();
    // In place of pmgate stands a program that gives the answers that pmgate just gave.
    for (const [words, answer] of answers) writeFileSync(path.join(directory, words.replaceAll(' ', '_')), answer);
    const fake = `pmgate() { shift 2; local IFS=_; cat "${directory}/$*"; }`;
    const script = `${fake}
      ${completionScript('bash')}
      touch '${directory}/my file.yaml'
      cd '${directory}'
      try() { COMP_WORDS=(pmgate "$@"); COMP_CWORD=$#; _pmgate; printf '<%s>' "\${COMPREPLY[@]}"; echo; }
      try fet; try fetch kernel.; try fetch kernel.all.l; try check-config m`;
    const { stdout, stderr } = spawnSync('bash', ['--norc'], { input: script, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toBe('<fetch>\n<kernel.all.>\n<kernel.all.load>\n<my file.yaml>\n');
  });
});
