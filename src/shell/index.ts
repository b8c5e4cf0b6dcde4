export { runShell } from './run-shell.js';
export type { ExitCode } from './exit-codes.js';
export type { ConfigFault, ShellHost } from './session.js';
export { pause, processTerminal } from './terminal.js';
export type { Output, Terminal } from './terminal.js';
