import { createPmgateClient } from '../../client/index.js';
import { EXIT } from '../exit-codes.js';
import type { ExitCode } from '../exit-codes.js';
import { printable } from '../output/terminal-text.js';
import { writeList } from '../output/table.js';
import type { Session } from '../session.js';

/** Differences that are printed. */
const SHOWN = 20;

export interface ProofFlags {
  /** The pmcd to ask. */
  readonly host?: string;
}

export interface BenchFlags extends ProofFlags {
  readonly seconds?: number;
}

/** `pmgate conformance`: what a pmcd says through pmgate, compared with PCP's own tools. Exit code 1 if anything differs. */
export async function conformanceCommand(session: Session, { host: hostspec }: ProofFlags): Promise<ExitCode> {
  const { host, terminal, signal, format } = session;
  const pmcd = hostspec ?? pmcdHere(terminal.environment);
  const report = await withPcp(session, async ({ compareWithPcp }) => {
    const gateway = await host.serveHost(pmcd);
    const client = createPmgateClient('http://localhost', { fetch: gateway.fetch });
    return compareWithPcp(client, pmcd, signal).finally(() => gateway.close());
  });
  if (!report) return EXIT.UNREACHABLE;
  const { areas, differences, pcp, metrics } = report;
  if (format === 'table')
    await terminal.stdout.write(
      `pmgate ${host.version} beside PCP ${pcp}: ${metrics} metrics of ${printable(pmcd)}\n\n`,
    );
  await writeList(session, {
    items: areas,
    whole: { pmgate: host.version, ...report },
    columns: [{ title: 'area' }, ...['equal', 'moving', 'wrong'].map((title) => ({ title, align: 'right' as const }))],
    row: ({ area, equal, moving, wrong }) => [
      area,
      ...[equal, moving, wrong].map((count) => count.toLocaleString('en')),
    ],
    csvHead: ['area', 'equal', 'moving', 'wrong'],
    csvRow: ({ area, equal, moving, wrong }) => [area, equal, moving, wrong],
  });
  for (const difference of differences.slice(0, SHOWN)) await terminal.stderr.write(`${printable(difference)}\n`);
  if (differences.length > SHOWN) await terminal.stderr.write(`and ${differences.length - SHOWN} more\n`);
  return metrics > 0 && differences.length === 0 ? EXIT.OK : EXIT.FAILED;
}

/** `pmgate bench --against pmproxy`: how fast both answer for the same pmcd. */
export async function benchCommand(session: Session, { host: hostspec, seconds = 2 }: BenchFlags): Promise<ExitCode> {
  const { host, terminal, signal, format } = session;
  const pmcd = hostspec ?? pmcdHere(terminal.environment);
  const report = await withPcp(session, ({ benchAgainstPmproxy }) =>
    benchAgainstPmproxy(pmcd, host.program, seconds, signal),
  );
  if (!report) return EXIT.UNREACHABLE;
  const { rows, pcp, node, processors, metrics } = report;
  if (format === 'table') {
    const beside = `pmgate ${host.version} on Node ${node} beside pmproxy of PCP ${pcp}, ${processors}`;
    await terminal.stdout.write(`${beside}\nFetches of ${metrics.join(', ')} of ${printable(pmcd)}\n\n`);
  }
  const figures = (digits: number) => (row: (typeof rows)[number]) => [
    row.pmgate.requestsPerSec.toFixed(0),
    row.pmproxy.requestsPerSec.toFixed(0),
    row.ratio.toFixed(digits),
    row.pmgate.p99Ms.toFixed(digits),
    row.pmproxy.p99Ms.toFixed(digits),
  ];
  const titles = ['pmgate/s', 'pmproxy/s', 'ratio', 'pmgate p99 ms', 'pmproxy p99 ms'];
  await writeList(session, {
    items: rows,
    whole: { pmgate: host.version, ...report },
    columns: ['connections', ...titles].map((title) => ({ title, align: 'right' })),
    row: (row) => [String(row.connections), ...figures(2)(row)],
    csvHead: ['connections', ...titles],
    csvRow: (row) => [row.connections, ...figures(6)(row)],
  });
  return EXIT.OK;
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

/** pmcd's own port, or that of PCP's environment. @see PCPIntro(1) */
function pmcdHere({ PMCD_PORT = '44321' }: Readonly<Record<string, string | undefined>>): string {
  return `127.0.0.1:${PMCD_PORT.split(',')[0]}`;
}
