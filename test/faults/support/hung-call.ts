/** Ends as the gateway does, with the exit code given first, while a file is being opened, if one is given: of a FIFO nobody writes to. */
import { open } from 'node:fs/promises';
import { endProcess } from '../../../src/cli/shutdown.js';

const [, , code, fifo] = process.argv;
process.on('SIGTERM', () => undefined);
process.on('exit', () => process.stdout.write('last words'));
if (fifo !== undefined) void open(fifo);
await endProcess(Number(code));
