export { runShell } from './run-shell.js';
export type { ExitCode } from './exit-codes.js';
export type { ConfigFault, ShellHost } from './session.js';
export { pause, processTerminal, type Output, type Terminal } from './terminal.js';
