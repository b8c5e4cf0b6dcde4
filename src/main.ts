#!/usr/bin/env node
import { HELP, parseCommandLine } from './command-line.js';
import { VERSION } from './version.js';

/** The exit code of a command line that is wrong. The others are those of serve.ts and of the shell room. */
const EXIT_USAGE = 2;

async function main(): Promise<void> {
  const command = parseCommandLine(process.argv.slice(2));
  switch (command.kind) {
    case 'help':
      process.stdout.write(HELP);
      return;
    case 'version':
      process.stdout.write(`pmgate ${VERSION}\n`);
      return;
    case 'error':
      process.stderr.write(`pmgate: ${command.message}\nTry pmgate --help.\n`);
      process.exitCode = EXIT_USAGE;
      return;
    case 'shell':
      return shell(command.words);
    case 'serve': {
      // Serving and asking share next to nothing: either is loaded only when it is wanted.
      const { serve } = await import('./serve.js');
      return serve(command);
    }
  }
}

async function shell(words: readonly string[]): Promise<void> {
  const { pause, processTerminal, runShell } = await import('./shell/index.js');
  process.exitCode = await runShell(words, {
    terminal: processTerminal(),
    version: VERSION,
    pause,
    nowMs: () => performance.now(),
    hashPassword: async (password) => (await import('./access/index.js')).hashPassword(password),
    makeToken: async () => (await import('./access/index.js')).makeToken(),
    checkConfig: async (asked) => {
      const { checkConfig, configFile, placeOf } = await import('./read-config.js');
      const file = configFile(asked);
      return { file, faults: checkConfig(file).map((problem) => ({ ...problem, place: placeOf(problem) })) };
    },
  });
}

await main();
