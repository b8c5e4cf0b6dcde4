import { execFileSync } from 'node:child_process';

/** What a program that compresses makes of bytes; undefined, and a word of it, where it is not installed. */
export function packedBy(program: string, input: Uint8Array, args = ['-c']): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(execFileSync(program, program === 'cat' ? [] : args, { input, maxBuffer: 2 ** 30 }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    process.stderr.write(`viewer: SKIPPED, ${program} is not installed\n`);
    return undefined;
  }
}
