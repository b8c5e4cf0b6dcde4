import { existsSync } from 'node:fs';
import { HELP, parseCommandLine } from './cli/command-line.js';
import { VERSION } from './version.js';

/** Exit codes: the output could not be printed; the command line is invalid. The others are those of serve.ts and of the shell room. */
const [EXIT_FAILED, EXIT_USAGE] = [1, 2] as const;

async function main(): Promise<void> {
  const command = parseCommandLine(process.argv.slice(2), hasArchive);
  switch (command.kind) {
    case 'help':
      print(HELP);
      return;
    case 'version':
      print(command.isJson ? `${JSON.stringify(versions())}\n` : `pmgate ${VERSION}\n`);
      return;
    case 'error':
      process.stderr.write(`pmgate: ${command.message}\nTry pmgate --help.\n`);
      process.exitCode = EXIT_USAGE;
      return;
    case 'shell':
      return shell(command.words);
    case 'open': {
      const { openArchives } = await import('./cli/open.js');
      return openArchives(command, (url) => shell(['archives', '--url', url]));
    }
    case 'serve': {
      // Serving and the sub-commands share almost nothing: each is loaded only when needed.
      const { serve } = await import('./cli/serve.js');
      return serve(command);
    }
  }
}

/** The version, and what it runs on, for programs and reports of defects. */
function versions(): Readonly<Record<string, string>> {
  const { platform, arch, version: node } = process;
  return { name: 'pmgate', version: VERSION, node, platform, arch };
}

/** Prints to a reader that may have left, as `head` does, or to a disk that is full. */
function print(text: string): void {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.stderr.write(`pmgate: ${message}\n`);
    process.exitCode = EXIT_FAILED;
  });
  process.stdout.write(text);
}

/** Whether a path is that of an archive, or of a directory of archives. */
function hasArchive(path: string): boolean {
  return ['', '.meta', '.meta.xz', '.meta.gz', '.meta.bz2', '.meta.zst'].some((end) => existsSync(path + end));
}

async function shell(words: readonly string[]): Promise<void> {
  const { pause, processTerminal, runShell } = await import('./shell/index.js');
  process.exitCode = await runShell(words, {
    terminal: processTerminal(),
    version: VERSION,
    pause,
    nowMs: () => performance.now(),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    readArchives: async (paths) => (await import('./cli/in-process-gateway.js')).serveArchives(paths),
    serveHost: async (hostspec) => (await import('./cli/in-process-gateway.js')).serveHost(hostspec),
    // The single file has its own path for that of a script.
    program: [...new Set([process.execPath, ...process.argv.slice(1, 2)])],
    hasArchive,
    hashPassword: async (password) => (await import('./access/index.js')).hashPassword(password),
    makeToken: async () => (await import('./access/index.js')).makeToken(),
    checkConfig: async (asked) => {
      const { checkConfig, configFile, placeOf } = await import('./cli/read-config.js');
      const file = configFile(asked);
      return { file, faults: checkConfig(file).map((problem) => ({ ...problem, place: placeOf(problem) })) };
    },
  });
}

void main();
