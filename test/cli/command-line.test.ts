import { HELP, parseCommandLine } from '../../src/cli/command-line.js';
import { createProgram } from '../../src/shell/program.js';

describe('parseCommandLine', () => {
  it('turns flags into options', () => {
    expect(parseCommandLine(['--port', '4711', '--host', '::1', '--config', 'my.yaml', '--log-level=debug'])).toEqual({
      kind: 'serve',
      isPageOpened: false,
      config: 'my.yaml',
      flags: { 'listen.host': '::1', 'listen.port': '4711', 'log.level': 'debug' },
    });
    expect(parseCommandLine([])).toMatchObject({ kind: 'serve', config: undefined });
  });

  it.each([
    [['--help'], 'help'],
    [['-h', '--port', '1'], 'help'],
    [['--version'], 'version'],
    [['--colour'], 'error'],
    [['--port', '1', 'extra'], 'error'],
    [['serve', 'extra'], 'error'],
    [['serve', '--help'], 'help'],
    [['extra'], 'shell'],
    [['help'], 'shell'],
    [['--url=http://x', 'fetch'], 'shell'],
    [['-o', 'json', 'fetch'], 'shell'],
    [['--port'], 'error'],
    [['--version', '--json'], 'version'],
    [['--open'], 'serve'],
    [['archives/20261120', 'sos.tar.xz', '--open'], 'open'],
    [['there'], 'open'],
    [['fetch'], 'shell'],
    [['sos.tar.xz', '--host', '::'], 'error'],
    [['sos.tar.xz', '--html', 'out.html', '--start', '-1h'], 'open'],
    [['sos.tar.xz', '--start', '-1h'], 'error'],
    [['sos.tar.xz', '--html', 'out.html', '--port', '1'], 'error'],
    [['--html', 'out.html'], 'error'],
  ])('%j is %s', (args, kind) => {
    expect(parseCommandLine(args, (file) => ['there', 'fetch'].includes(file)).kind).toBe(kind);
  });

  it('says which flag it does not know', () => {
    expect(parseCommandLine(['--colour'])).toMatchObject({ message: expect.stringContaining('--colour') });
  });

  it('has a line of help for every flag', () => {
    for (const flag of ['--config', '--host', '--port', '--log-level', '--help', '--version'])
      expect(HELP).toContain(flag);
  });

  it('has a line of help for every command', () => {
    const program = createProgram({ version: '0', act: () => Promise.resolve() });
    const listed = [...HELP.matchAll(/^ {2}([a-z][a-z-]*) .* {2}/gm)].map(([, name]) => name);
    expect([...listed, 'serve'].sort()).toEqual([...program.commands.map((command) => command.name()), 'help'].sort());
  });
});
