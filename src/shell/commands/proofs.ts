import { createPmgateClient } from '../../client/index.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { printable } from '../output/terminal-text.js';
import { writeList } from '../output/table.js';
import type { Session } from '../session.js';

const SHOWN = 20;

export interface ProofFlags {
  readonly host?: string;
  readonly seconds?: number;
}

/** `pmgate conformance`: what a pmcd says through pmgate, compared with PCP's own tools. Exit code 1 if anything differs. */
export async function conformanceCommand(session: Session, flags: ProofFlags): Promise<ExitCode> {
  const { host, terminal, signal } = session;
  const pmcd = pmcdOf(session, flags);
  const report = await withPcp(session, async ({ compareWithPcp }) => {
    const gateway = await host.serveHost(pmcd);
    const client = createPmgateClient('http://localhost', { fetch: gateway.fetch });
    return compareWithPcp(client, pmcd, signal).finally(() => gateway.close());
  });
  if (!report) return EXIT.UNREACHABLE;
  const { areas, differences, pcp, metrics } = report;
  await writeHead(session, `pmgate ${host.version} beside PCP ${pcp}: ${metrics} metrics of ${pmcd}`);
  await writeList(session, {
    items: areas,
    whole: { pmgate: host.version, ...report },
    columns: [{ title: 'area' }, ...['equal', 'moving', 'wrong'].map((title) => ({ title, align: 'right' as const }))],
    row: ({ area, ...counts }) => [area, ...Object.values(counts).map((count) => count.toLocaleString('en'))],
    csvHead: ['area', 'equal', 'moving', 'wrong'],
    csvRow: ({ area, equal, moving, wrong }) => [area, equal, moving, wrong],
  });
  for (const difference of differences.slice(0, SHOWN)) await terminal.stderr.write(`${printable(difference)}\n`);
  if (differences.length > SHOWN) await terminal.stderr.write(`and ${differences.length - SHOWN} more\n`);
  return metrics > 0 && differences.length === 0 ? EXIT.OK : EXIT.FAILED;
}

/** `pmgate bench --against pmproxy`: how fast both answer for the same pmcd. */
export async function benchCommand(session: Session, flags: ProofFlags): Promise<ExitCode> {
  const { host, terminal, signal } = session;
  const pmcd = pmcdOf(session, flags);
  const report = await withPcp(session, ({ benchAgainstPmproxy }) =>
    benchAgainstPmproxy(pmcd, host.program, flags.seconds ?? 2, signal),
  );
  if (!report) return EXIT.UNREACHABLE;
  const { rows, pcp, node, processors, metrics } = report;
  const versions = `pmgate ${host.version} on Node ${node} beside pmproxy of PCP ${pcp}, ${processors}`;
  await writeHead(session, `${versions}: fetches of ${metrics.join(', ')} of ${pmcd}`);
  const cells = ({ connections, pmgate, pmproxy, ratio }: (typeof rows)[number]): readonly string[] => [
    String(connections),
    pmgate.requestsPerSec.toFixed(0),
    pmproxy.requestsPerSec.toFixed(0),
    ...[ratio, pmgate.p99Ms, pmproxy.p99Ms].map((figure) => figure.toFixed(2)),
  ];
  const titles = ['connections', 'pmgate/s', 'pmproxy/s', 'ratio', 'pmgate p99 ms', 'pmproxy p99 ms'];
  await writeList(session, {
    items: rows,
    whole: { pmgate: host.version, ...report },
    columns: titles.map((title) => ({ title, align: 'right' })),
    row: cells,
    csvHead: titles,
    csvRow: cells,
  });
  for (const [server, count] of Object.entries(report.crashes))
    if (count > 0)
      await terminal.stderr.write(
        `${server} ended by itself ${count === 1 ? 'once' : `${count} times`}, and was started again\n`,
      );
  return EXIT.OK;
}

async function writeHead({ terminal, format }: Session, text: string): Promise<void> {
  if (format === 'table') await terminal.stdout.write(`${printable(text)}\n\n`);
}

/** What a proof finds; undefined where there is no PCP, which is said then. */
async function withPcp<T>(
  { terminal, errorColours }: Session,
  run: (proofs: typeof import('../../proofs/index.js')) => Promise<T>,
): Promise<T | undefined> {
  const proofs = await import('../../proofs/index.js');
  try {
    return await run(proofs);
  } catch (error) {
    if (!(error instanceof proofs.NoPcpError)) throw error;
    await terminal.stderr.write(`${errorColours.red('pmgate:')} ${printable(error.message)}\n`);
    return undefined;
  }
}

/** The pmcd of the flags, or of this machine: its own port, or that of PCP's environment. @see PCPIntro(1) */
function pmcdOf({ terminal }: Session, { host }: ProofFlags): string {
  const { PMCD_PORT = '44321' } = terminal.environment;
  return host ?? `127.0.0.1:${PMCD_PORT.split(',')[0]}`;
}
