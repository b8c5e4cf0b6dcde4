import type { DataOf, Schemas } from '../../../client/index.js';
import type { Context, DryRunSample } from '../../../context/index.js';
import { refuseIdle } from '../../../context/selection/index.js';
import {
  describeMetadata,
  FUNCTIONS,
  operandNames,
  parseExpression,
  ShownDefinitions,
  displayOf,
  type ContextDefinition,
  type GlobalDefinition,
  type GlobalDefinitions,
  type HelpTexts,
  type WithheldDefinition,
  type CheckedNode,
  type CheckReport,
  type ExplainedNode,
  type InstanceNamer,
} from '../../../derived/index.js';
import {
  addSeconds,
  badParameter,
  GatewayError,
  PM_ERR,
  formatPmErr,
  formatPmid,
  formatTimestamp,
  INSTANCE_NULL,
} from '../../../pmapi/index.js';
import type { Timestamp } from '../../../pmapi/index.js';
import type { RecordedSource } from '../../../sources/index.js';
import type { Answer, ContextParameters, OperationRequest, ParametersOf, QueryOf } from '../../contracts.js';
import type { DerivedRegistration } from '../../options.js';
import { placeOfRange } from '../../request/host-timeline.js';
import { contextOf, untilGone } from '../../request/request-context.js';
import { doneAnswer, jsonAnswer, requireFewValues, contextHead } from '../../response/answer.js';
import { momentIn, timeIn } from '../metadata/metadata-moment.js';
import { writeValue } from '../../response/writers/fetch-writer.js';

/** The derived metrics that every context has, or those that one context sees. */
export async function runDerivedList(request: OperationRequest<QueryOf<'listDerived'>>): Promise<Answer> {
  const { prefix = '', origin, context: id, client } = request.query;
  const context = id === undefined ? undefined : await contextOf(request, 'shared');
  const definitions: readonly (GlobalDefinition | ContextDefinition)[] =
    context?.derived.list() ?? definitionsFor(request).list();
  const derived = definitions
    .filter(({ name }) => prefix === '' || name === prefix || name.startsWith(`${prefix}.`))
    .filter(
      (definition) =>
        origin === undefined || origin === (definition.scope === 'global' ? definition.origin : 'context'),
    )
    .map(describeDefinition);
  const withheld = context || (origin ?? 'api') !== 'api' ? [] : withheldFor(request);
  const told = withheld.map(({ name, error: { code, message } }) => ({ name, code, message }));
  const members = { context: context?.id, client, derived, withheld: told.length === 0 ? undefined : told };
  return jsonAnswer(JSON.stringify(members));
}

export function runDerivedFunctions(): Answer {
  const functions = FUNCTIONS.map(({ name, synopsis, summary }) => ({ name, synopsis, summary }));
  return jsonAnswer(JSON.stringify({ functions }));
}

/** One global derived metric, and what it is in a context when the request names one. */
export async function runDerivedRead(request: OperationRequest<ContextParameters>): Promise<Answer> {
  const { query } = request;
  const definition = requireKnown(request);
  const namesContext = query.context !== undefined || (query.hostspec ?? query.archive ?? query.hostname) !== undefined;
  const binding = namesContext ? await bindingOf(definition, await contextOf(request, 'shared')) : undefined;
  return jsonAnswer(JSON.stringify({ ...describeDefinition(definition), client: query.client, binding }));
}

/** Register one global derived metric under the name in the path. @see pmRegisterDerivedMetric(3) */
export async function runDerivedRegister(
  request: OperationRequest<ParametersOf<'DerivedRegisterParameters'>>,
): Promise<Answer> {
  const { expr, client } = request.query;
  const name = request.path.name ?? '';
  const registration = requireMutation(request, name);
  if (expr === undefined) {
    throw badParameter('expr', `'expr' is missing: expected the expression of ${name}`, 'an expression');
  }
  const refuse = guardOf(request, name, expr);
  let isNew = false as boolean;
  const notes = { ...helpTexts(request.query), by: request.principal?.name };
  const definition = await registration.register(name, expr, notes, () => {
    refuse();
    isNew = registration.store.get(name) === undefined;
  });
  const answer = changedAnswer(request, { ...describeDefinition(definition), client });
  return { ...answer, status: isNew ? 201 : 200 };
}

/** Register one global derived metric, or all those of a definition file. @see pmLoadDerivedConfig(3) */
export async function runDerivedLoad(
  request: OperationRequest<ParametersOf<'DerivedLoadParameters'>>,
): Promise<Answer> {
  const { name, text } = requireDefinition(request.query, 'invalid derived parameters');
  const registration = requireMutation(request, name);
  const help = helpTexts(request.query);
  for (const parameter of ['oneline', 'helptext'] as const) {
    if (name !== undefined || help[parameter] === undefined) continue;
    const expected = `'name' as well, or a line NAME(${parameter}) = … in the definition file`;
    throw badParameter(parameter, `'${parameter}' requires 'name': expected ${expected}`, expected);
  }
  // What there is when it is made: others may change definitions meanwhile.
  let before = new Set<string>();
  const note = (): void => void (before = new Set(registration.store.list().map((known) => known.name)));
  const by = request.principal?.name;
  const register = async (named: string): Promise<readonly GlobalDefinition[]> => {
    const refuse = guardOf(request, named, text);
    const guard = (): void => {
      refuse();
      note();
    };
    return [await registration.register(named, text, { ...help, by }, guard)];
  };
  const definitions = await (name === undefined
    ? registration.load(text, untilGone(request), by, note)
    : register(name));
  const isNew = definitions.some((definition) => !before.has(definition.name));
  const { client } = request.query;
  const answer = changedAnswer(request, { client, derived: definitions.map(describeDefinition) });
  return { ...answer, status: isNew ? 201 : 200 };
}

/** Forget a global derived metric, or one that the state file holds and that is not in force. @see pmUnregisterDerived(3) */
export async function runDerivedUnregister(
  request: OperationRequest<Pick<ContextParameters, 'client'>>,
): Promise<Answer> {
  const registration = requireMutation(request, request.path.name);
  const name = request.path.name ?? '';
  const refuse = guardOf(request, name);
  await registration.unregister(name, () => {
    // Asked when its turn has come: another gateway may have defined it just now.
    const isWithheld = withheldFor(request).some((withheld) => withheld.name === name);
    if (!isWithheld) requireKnown(request, request.principal?.definable);
    refuse();
  });
  return changedAnswer(request, { name, client: request.query.client, success: true });
}

/** Answers a change; in a fleet, with the version that other gateways can be asked for. */
function changedAnswer({ options: { fleet } }: OperationRequest<object>, json: object): Answer {
  return jsonAnswer(JSON.stringify(json), fleet && ['Pmgate-Definitions', String(fleet.version)]);
}

function helpTexts({ oneline, helptext }: { readonly oneline?: string; readonly helptext?: string }): HelpTexts {
  return { ...(oneline !== undefined && { oneline }), ...(helptext !== undefined && { helptext }) };
}

/** The definition in the path. Throws UNKNOWN_DERIVED when there is none that may be seen. */
function requireKnown(request: OperationRequest<object>, visibility = request.principal?.anywhere): GlobalDefinition {
  const name = request.path.name ?? '';
  const definition = definitionsFor(request, visibility).get(name);
  if (definition) return definition;
  throw new GatewayError('UNKNOWN_DERIVED', `there is no global derived metric ${name}`, { parameter: 'name' });
}

function definitionsFor(
  { principal, options }: OperationRequest<object>,
  visibility = principal?.anywhere,
): GlobalDefinitions {
  const { definitions } = options.contexts;
  const filter = visibility?.filter;
  return filter ? new ShownDefinitions(definitions, (name) => filter.allows(name)) : definitions;
}

/** Definitions of the state file that are not in force, for clients that see all metrics: what they name is not known. */
function withheldFor({ principal, options }: OperationRequest<object>): readonly WithheldDefinition[] {
  return principal?.anywhere.filter ? [] : options.contexts.definitions.withheld;
}

/** What changes definitions. Throws FORBIDDEN, also for a name that the client does not see, whether it is taken or not. */
function requireMutation({ options, principal }: OperationRequest<object>, name?: string): DerivedRegistration {
  principal?.requireEverywhere('derive', name);
  const filter = principal?.definable.filter;
  // A file may name any definition, also those that its sender does not see.
  if (filter && (name === undefined || !filter.allows(name))) {
    principal.refuse('derive', name ?? 'metrics that are hidden from you');
  }
  if (options.derived?.allowMutation === true) return options.derived;
  throw new GatewayError('FORBIDDEN', 'changing global derived metrics is disabled (derived.allowMutation)');
}

/**
 * Refuses a definition over metrics that its sender does not see, old or new, as if its name were one that they may not define: they learn that
 * the name is not for them, and nothing of what it is.
 */
function guardOf(request: OperationRequest<object>, name: string, text = ''): () => void {
  const { principal, options } = request;
  const filter = principal?.definable.filter;
  if (!filter) return () => undefined;
  const parsed = parseExpression(text);
  const { metrics, like } = parsed.ok ? operandNames(parsed.expression) : { metrics: [], like: [] };
  const isOverHidden = [...metrics, ...like].some((operand) => !filter.allows(operand));
  return () => {
    const isTaken = options.contexts.definitions.get(name) !== undefined;
    const isHidden = isTaken && definitionsFor(request, principal.definable).get(name) === undefined;
    if (isHidden || isOverHidden) principal.refuse('derive', name);
  };
}

async function bindingOf(definition: GlobalDefinition, context: Context): Promise<DataOf<Schemas['DerivedBinding']>> {
  const { name, pmid } = definition;
  const [found = PM_ERR.NAME] = await context.names.lookupNames([name]);
  if (found !== pmid) {
    const isOwn = context.derived.get(name)?.pmid === found;
    return { context: context.id, bound: false, maskedBy: isOwn ? 'context' : 'source' };
  }
  const [descriptor = PM_ERR.PMID] = await context.names.describe([pmid]);
  if (typeof descriptor !== 'number') {
    return { context: context.id, bound: true, metadata: describeMetadata(descriptor) };
  }
  const reason = (await context.names.explainMissing([name])).get(name);
  return { context: context.id, bound: false, ...(reason === undefined ? {} : { reason }), pmErr: descriptor };
}

/** Defines derived metrics in one context: one metric, or the text of a definition file. @see pmAddDerived(3) */
export async function runDerive(request: OperationRequest<QueryOf<'deriveMetrics'>>): Promise<Answer> {
  const definition = requireDefinition(request.query, 'invalid derive parameters');
  const context = await contextOf(request, 'own');
  request.principal?.requireOn('derive', context.spec);
  if (definition.name === undefined) await context.addDerivedFile(definition.text, untilGone(request));
  else await context.addDerived(definition.name, definition.text);
  return doneAnswer(context.id, request.query.client);
}

/** Parses `name` and `expr`, or a text of definitions in `expr` alone. Throws BAD_PARAMETER with pmproxy's wording in `lead`. */
function requireDefinition(
  { name, expr }: { readonly name?: string; readonly expr?: string },
  lead: string,
): { readonly name?: string; readonly text: string } {
  if (expr === undefined) {
    const message = `${lead}: 'expr' is missing`;
    throw badParameter('expr', message, 'an expression and its name in name, or lines of name = expression');
  }
  if (name !== undefined) return { name, text: expr };
  if (isDefinitions(expr)) return { text: expr };
  const message = `${lead}: 'name' is missing, and 'expr' has no lines of name = expression`;
  throw badParameter('name', message, 'the name of the derived metric, or lines of name = expression in expr');
}

/** Whether a text can be a definition file: it has a `=` that is not part of a comparison, or only comments. */
function isDefinitions(text: string): boolean {
  if (/(?:^|[^=!<>])=(?!=)/.test(text)) return true;
  return text.includes('#') && text.split('\n').every((line) => /^\s*(?:#|$)/.test(line));
}

type CheckRequest = OperationRequest<QueryOf<'checkExpression'>>;

/** The dry run: checks an expression in a context, without registering it. */
export async function runDerivedCheck(request: CheckRequest): Promise<Answer> {
  const { expr, client, at: text, zone } = request.query;
  if (expr === undefined) {
    throw badParameter('expr', "nothing to check: 'expr' is missing", 'an expression');
  }
  refuseIdle('zone', zone !== undefined && text === undefined, 'the time zone of at', 'at');
  const { context, recorded, at } =
    text === undefined ? { context: await contextOf(request, 'shared') } : await placeOf(request, text);
  const { values } = request.options.limits;
  const { report, sample } = await context.checkExpression(expr, { at, values, signal: untilGone(request) }, recorded);
  const whole = report.ok ? sample?.root.values : undefined;
  if (whole) requireFewValues({ sets: [whole] }, request.options);
  return jsonAnswer(writeCheck(context, client, report, sample));
}

/** How long before a moment its rates may begin: archives that end in that time are read, too. */
const BEFORE_SEC = 300;

interface CheckPlace {
  readonly context: Context;
  readonly at?: Timestamp;
  /** The recorded samples of a live host around the moment. */
  readonly recorded?: RecordedSource | undefined;
}

async function placeOf(request: CheckRequest, text: string): Promise<CheckPlace> {
  const { zone } = request.query;
  let at: Timestamp | undefined;
  const { context, timeline } = await placeOfRange(request, (bounds) => {
    at = timeIn(bounds, text, zone);
    return { start: addSeconds(at, -BEFORE_SEC), finish: at };
  });
  at ??= await momentIn(context, text, zone);
  return { context, at, recorded: timeline?.source };
}

/** A definition as `DerivedEntry` in openapi.yaml. */
function describeDefinition(definition: GlobalDefinition | ContextDefinition): object {
  const { name, expression, canonical, pmid, oneline, helptext } = definition;
  const origin = definition.scope === 'global' ? definition.origin : 'context';
  const display = displayOf(definition.display);
  return { name, expression, canonical, pmid: formatPmid(pmid), origin, oneline, helptext, display };
}

const INSTANCES_SHOWN = 100;
const PARTS_SHOWN = 200;

/** The response to a dry run. Values are written by hand: 64-bit integers keep their digits. */
function writeCheck(
  context: Context,
  client: string | undefined,
  report: CheckReport,
  sample: DryRunSample | undefined,
): string {
  const { tree, ...others } = report;
  const members = JSON.stringify(others).slice(1, -1);
  const written = [contextHead(context.id, client), ',', members];
  if (tree) {
    written.push(',"tree":');
    writePart(written, sample?.root ?? bare(tree), outermost(tree), sample?.nameOf);
  }
  if (sample && report.ok) {
    const values = writeValues(sample.root, sample.nameOf, Infinity);
    written.push(`,"sample":{"timestamp":${formatTimestamp(sample.timestamp)},${values}}`);
  }
  return `${written.join('')}}`;
}

/** A part of an expression, with its values if it was evaluated. */
type WrittenPart = Pick<ExplainedNode, 'node'> &
  Partial<Omit<ExplainedNode, 'children'>> & { readonly children: readonly WrittenPart[] };

function bare(node: CheckedNode): WrittenPart {
  return { node, children: node.children.map(bare) };
}

/** The nodes that are shown: the outermost ones, level by level. */
function outermost(tree: CheckedNode): ReadonlySet<CheckedNode> {
  const shown = new Set([tree]);
  for (const { children } of shown) for (const child of children) if (shown.size < PARTS_SHOWN) shown.add(child);
  return shown;
}

function countOf({ children }: CheckedNode): number {
  return children.reduce((sum, child) => sum + countOf(child), 1);
}

/** Appends a part's text: joining at each level would copy lower levels repeatedly. */
function writePart(
  written: string[],
  part: WrittenPart,
  shown: ReadonlySet<CheckedNode>,
  nameOf: InstanceNamer = () => undefined,
): void {
  const { node, values, children } = part;
  written.push('{', JSON.stringify({ ...node, children: undefined }).slice(1, -1));
  if (values) {
    written.push(`,"sample":{"count":${Math.max(values.status, 0)},${writeValues(part, nameOf, INSTANCES_SHOWN)}}`);
  }
  const omitted = node.children.reduce((sum, child) => sum + (shown.has(child) ? 0 : countOf(child)), 0);
  if (omitted > 0) written.push(`,"omitted":${omitted}`);
  written.push(',"children":[');
  for (const [i, child] of children.filter((each) => shown.has(each.node)).entries()) {
    if (i > 0) written.push(',');
    writePart(written, child, shown, nameOf);
  }
  written.push(']}');
}

function writeValues(part: WrittenPart, nameOf: InstanceNamer, most: number): string {
  const { values, meta } = part;
  const { status, column, instances } = values!;
  const written: string[] = [];
  for (let i = 0; i < Math.min(status, most); i++) {
    written.push(writeInstance(instances[i]!, nameOf(meta!.indom, instances[i]!), writeValue(column, i)));
  }
  return `"instances":[${written.join(',')}]${status > 0 ? '' : writeReason(part, status)}`;
}

function writeReason({ lost = [] }: WrittenPart, status: number): string {
  if (status < 0) return `,"message":${JSON.stringify(formatPmErr(status))},"pmErr":${status}`;
  const reason = lost.find(({ instance }) => instance === undefined) ?? lost[0];
  return reason ? `,"message":${JSON.stringify(reason.reason)}` : '';
}

function writeInstance(instance: number, name: string | undefined, value: string): string {
  if (instance === INSTANCE_NULL) return `{"instance":null,"value":${value}}`;
  const nameMember = name === undefined ? '' : `"name":${JSON.stringify(name)},`;
  return `{"instance":${instance},${nameMember}"value":${value}}`;
}
