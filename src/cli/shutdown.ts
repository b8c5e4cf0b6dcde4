import { setTimeout } from 'node:timers/promises';

const LOOKS = 20;
const LOOK_EVERY_MS = 50;

/**
 * Ends the process once everything is closed. Node waits for its thread pool, forever if a call hangs in the kernel, for example
 * to a file server that is gone. Such a process ends itself by a signal: SIGTERM after an orderly stop, which service managers
 * accept as a clean exit, otherwise SIGKILL.
 */
export async function endProcess(code: number): Promise<void> {
  for (let look = 0; look < LOOKS && hasCallsUnderWay(); look++) await setTimeout(LOOK_EVERY_MS);
  if (hasCallsUnderWay()) {
    process.on('exit', () => {
      process.removeAllListeners('SIGTERM');
      process.kill(process.pid, code === 0 ? 'SIGTERM' : 'SIGKILL');
    });
  }
  process.exit(code);
}

function hasCallsUnderWay(): boolean {
  return process.getActiveResourcesInfo().some((resource) => resource.startsWith('FSReq'));
}
