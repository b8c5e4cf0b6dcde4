import { setTimeout } from 'node:timers/promises';

const LOOKS = 20;
const LOOK_EVERY_MS = 50;

/**
 * End the process once everything is closed. Node waits for its thread pool then, for ever where a call hangs in the kernel, as one to
 * a file server that is gone does; such a process ends by a signal: SIGTERM after an orderly stop, which service managers take for a
 * clean end, else SIGKILL.
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
