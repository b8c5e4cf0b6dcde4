import type { DiagnosisAnswer } from '../../client/index.js';
import { EXIT } from '../exit-codes.js';
import type { ExitCode } from '../exit-codes.js';
import { csvLine, jsonLine, jsonText } from '../output/json-and-csv.js';
import { printable } from '../output/terminal-text.js';
import { timeOf, whereOf } from '../selection.js';
import type { SourceFlags } from '../selection.js';
import type { Session } from '../session.js';

export interface DiagnoseFlags extends SourceFlags {
  readonly at?: string;
  readonly span?: number;
}

const CSV_HEAD = ['resource', 'state', 'rule', 'instance', 'value', 'unit', 'since', 'before', 'sentence'];

/** `pmgate diagnose`: what is wrong, since when, and who did it. The exit code is 1 if something is, or if nothing could be judged. */
export async function diagnoseCommand(session: Session, flags: DiagnoseFlags): Promise<ExitCode> {
  const { client, signal, terminal, format, zone } = session;
  const { at, span } = flags;
  const answer = await client.diagnose({ ...whereOf(flags, session), at: timeOf(at), span, zone, signal });
  switch (format) {
    case 'json':
      await terminal.stdout.write(jsonText(answer));
      break;
    case 'ndjson':
      await terminal.stdout.write(answer.resources.map(jsonLine).join(''));
      break;
    case 'csv':
      await terminal.stdout.write([CSV_HEAD, ...csvRows(answer)].map(csvLine).join(''));
      break;
    case 'table':
      await terminal.stdout.write(textOf(answer, session));
  }
  return answer.state === 'usual' ? EXIT.OK : EXIT.FAILED;
}

function textOf({ sentence, resources, notJudged }: DiagnosisAnswer, { colours }: Session): string {
  const lines = [colours.bold(printable(sentence))];
  for (const { findings } of resources) {
    for (const finding of findings) if (finding.sentence !== sentence) lines.push(printable(finding.sentence));
  }
  const usual = resources.filter(({ state }) => state === 'usual').map(({ resource }) => resource);
  if (usual.length > 0) lines.push(colours.dim(`usual: ${usual.join(', ')}`));
  const missing = notJudged.map(({ rule, reason }) => colours.dim(`not judged: ${rule}: ${printable(reason)}`));
  return `${[...lines, ...missing].join('\n')}\n`;
}

function csvRows({ resources }: DiagnosisAnswer): (string | number | undefined)[][] {
  return resources.flatMap(({ resource, state, findings }) =>
    findings.length === 0
      ? [[resource, state]]
      : findings.map(({ rule, state: found, instance, value, unit, since, before, sentence }) => [
          ...[resource, found, rule, instance, value, unit, since, before, sentence],
        ]),
  );
}
