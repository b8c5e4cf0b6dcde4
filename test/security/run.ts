/**
 * `npm run test:security -- URL [--token TOKEN] [--area TEXT]`: makes every attack that makes sense over HTTP against a gateway, and
 * prints what became of each. Ends with 1 when one is open, with 2 when there is nobody.
 *
 * Without a URL it attacks http://127.0.0.1:44322. Attack nothing that is not yours: some of it is rude, and `slow clients` takes as long
 * as the gateway's timeouts.
 */
import { parseArgs } from 'node:util';
import { ATTACKS } from './attacks/index.js';
import { Target } from './target.js';

/** How long an answer may take, in milliseconds. */
const PATIENCE_MS = 20_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { token: { type: 'string' }, area: { type: 'string', default: '' } },
});
const target = new Target(positionals[0] ?? 'http://127.0.0.1:44322', values.token, PATIENCE_MS);
process.exitCode = await run();

async function run(): Promise<number> {
  try {
    await target.get('/healthz');
  } catch (error) {
    console.error(`${target.url.origin}: ${(error as Error).message}`);
    return 2;
  }
  const counts = { refused: 0, open: 0, skipped: 0 };
  for (const { area, name, run: attack } of ATTACKS) {
    if (!area.includes(values.area)) continue;
    const { outcome, how } = await attack(target).catch((error: unknown) => ({
      outcome: 'open' as const,
      how: `the connection broke: ${(error as Error).message}`,
    }));
    counts[outcome]++;
    console.log(`${area.padEnd(28)}  ${name.padEnd(48)}  ${outcome.toUpperCase().padEnd(8)}  ${how}`);
  }
  console.log(`${target.url.origin}: ${counts.refused} refused, ${counts.open} open, ${counts.skipped} skipped`);
  return counts.open === 0 ? 0 : 1;
}
