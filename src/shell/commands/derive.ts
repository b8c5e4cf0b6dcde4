import { readFile } from 'node:fs/promises';
import { PmgateError, type DerivedCheck, type DerivedEntry } from '../../client/index.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { jsonLine, jsonText } from '../output/json-and-csv.js';
import { printable, printableLines } from '../output/terminal-text.js';
import { instanceTitle, valueText } from '../output/sample-table.js';
import { renderTable, renderTree, writeList, type TreeLine } from '../output/table.js';
import { timeOf, whereOf, type TextFlags } from '../selection.js';
import { UsageError, type Session } from '../session.js';

type CheckedPart = NonNullable<DerivedCheck['tree']>;

/** Stands for standard input where a file is expected. */
const STANDARD_INPUT = '-';
const PART_VALUES = 4;

/** `pmgate derive check`: checks an expression. An invalid one exits with 1, with its errors on standard error. */
export async function deriveCheckCommand(
  session: Session,
  expression: string,
  flags: TextFlags<'host' | 'archive' | 'at'>,
): Promise<ExitCode> {
  const { client, signal, format, terminal, zone } = session;
  if (format === 'csv') throw new UsageError('derive check does not support csv: use table, json or ndjson');
  const text = expression === STANDARD_INPUT ? await terminal.readInput() : expression;
  const at = timeOf(flags.at);
  const moment = at === undefined ? {} : { at, zone };
  const check = await client.derived.check(text, { ...whereOf(flags, session), ...moment, signal });
  // In JSON, the errors are in the response.
  if (format !== 'table') await terminal.stdout.write(format === 'json' ? jsonText(check) : jsonLine(check));
  else await (check.ok ? writeGood(session, check) : writeErrors(session, check));
  return check.ok ? EXIT.OK : EXIT.FAILED;
}

async function writeGood(session: Session, check: DerivedCheck): Promise<void> {
  await writeFacts(session, check);
  if (!check.tree || check.tree.children.length === 0) return;
  await session.terminal.stdout.write(`\n${renderTree([partLine(check.tree)], session.colours)}`);
}

function partLine({ text, sample, selected, metadata, children }: CheckedPart): TreeLine {
  const units = metadata?.units ?? '';
  const { instances = [], count = 0, message = 'no values' } = sample ?? {};
  const shown = instances.slice(0, PART_VALUES).map(({ instance, name, value }) => {
    const title = instanceTitle({ instance, name: name ?? null });
    return `${title === '' ? '' : `${title}: `}${valueText(value, units)}`;
  });
  if (count > shown.length) shown.push(`and ${count - shown.length} more`);
  const gave = sample ? (count === 0 ? message : shown.join(', ')) : selected ? undefined : 'not evaluated';
  const note = metadata && [metadata.type.toLowerCase(), units].filter((part) => part !== '').join(' ');
  return { text: gave === undefined ? text : `${text} = ${gave}`, note, below: children.map(partLine) };
}

async function writeFacts({ terminal: { stdout }, colours }: Session, check: DerivedCheck): Promise<void> {
  const { canonical, parenthesised, metadata, sample } = check;
  const units = metadata?.units ?? '';
  const facts = [
    ['expression', canonical ?? check.expression],
    ...(parenthesised === undefined || parenthesised === canonical ? [] : [['means', parenthesised] as const]),
    ['type', metadata?.type.toLowerCase() ?? ''],
    ['semantics', metadata?.semantics ?? ''],
    ['units', units === '' ? 'none' : units],
    ['indom', metadata?.indom ?? 'none (single value)'],
  ] as const;
  await stdout.write(facts.map(([name, text]) => `${colours.dim(name.padEnd(12))}${printable(text)}\n`).join(''));
  if (!sample) return;
  const rows = sample.instances.map(({ instance, name, value }) => [
    instanceTitle({ instance, name: name ?? null }),
    valueText(value, units),
  ]);
  const [only] = rows;
  if (rows.length === 1 && only?.[0] === '') {
    return stdout.write(`${colours.dim('value'.padEnd(12))}${printable(only[1] ?? '')}\n`);
  }
  if (rows.length === 0) {
    return stdout.write(`${colours.dim('no value'.padEnd(12))}${printable(sample.message ?? '')}`.trimEnd() + '\n');
  }
  const columns = ['instance', { title: 'value', align: 'right' }] as const;
  await stdout.write(`\n${renderTable(columns, rows, { colours, width: undefined })}`);
}

async function writeErrors({ terminal: { stderr }, errorColours }: Session, check: DerivedCheck): Promise<void> {
  for (const { reason, explanation, position, excerpt, repair } of check.errors) {
    const place = ` at line ${position.line}, column ${position.column}`;
    const lines = [
      `${errorColours.red('pmgate:')} ${printable(reason)}${place}`,
      ...printableLines(excerpt)
        .split('\n')
        .map((line) => (line === '' ? '' : `  ${/^\s*\^/.test(line) ? errorColours.red(line) : line}`)),
      ...(explanation === reason ? [] : [`  ${printable(explanation)}`]),
      ...(repair ? [`  ${printable(repair.text)}`] : []),
    ].filter((line) => line !== '');
    await stderr.write(`${lines.join('\n')}\n`);
  }
}

export async function deriveListCommand(
  session: Session,
  flags: { readonly prefix?: string; readonly origin?: DerivedEntry['origin'] },
): Promise<ExitCode> {
  const derived = await session.client.derived.list({ ...flags, signal: session.signal });
  await writeDefinitions(session, derived);
  return EXIT.OK;
}

export async function deriveAddCommand(session: Session, name: string, expression: string): Promise<ExitCode> {
  const definition = await session.client.derived.register(name, expression, { signal: session.signal });
  await writeDefinitions(session, [definition]);
  return EXIT.OK;
}

/** `pmgate derive rm`: removes definitions that were registered over REST. */
export async function deriveRemoveCommand(session: Session, names: readonly string[]): Promise<ExitCode> {
  for (const name of names) await session.client.derived.unregister(name, { signal: session.signal });
  return EXIT.OK;
}

/** `pmgate derive load`: registers all definitions of a file, or none after an error. */
export async function deriveLoadCommand(session: Session, file: string): Promise<ExitCode> {
  const text = file === STANDARD_INPUT ? await session.terminal.readInput() : await textOf(file);
  try {
    await writeDefinitions(session, await session.client.derived.load(text, { signal: session.signal }));
  } catch (error) {
    if (!(error instanceof PmgateError)) throw error;
    // The gateway does not know the name of the file.
    const { code, status, details, requestId } = error;
    const facts = { status, ...(details ? { details } : {}), ...(requestId === undefined ? {} : { requestId }) };
    throw new PmgateError(code, error.message.replaceAll('[body:', `[${file}:`), facts);
  }
  return EXIT.OK;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${(error as Error).message}`);
  }
}

function writeDefinitions(session: Session, derived: readonly DerivedEntry[]): Promise<void> {
  return writeList(session, {
    items: derived,
    whole: { derived },
    columns: ['metric', 'origin', { title: 'expression', isElastic: true }],
    row: ({ name, origin, canonical }) => [name, origin, canonical],
    csvHead: ['metric', 'pmid', 'origin', 'expression'],
    csvRow: ({ name, pmid, origin, canonical }) => [name, pmid, origin, canonical],
  });
}
