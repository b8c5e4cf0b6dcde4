import { copyResult, RangeTrace } from '../../../context/index.js';
import type { Context, FetchNotes, FetchPlan, OpenRange, Selection, Viewer, Why } from '../../../context/index.js';
import { badParameter, type FetchResult } from '../../../pmapi/index.js';
import type { Answer, OperationRequest, QueryOf } from '../../contracts.js';
import { isOnThisMachine, untilGone } from '../../request/request-context.js';
import { jsonAnswer, LINE_END } from '../../response/answer.js';
import type { FetchForm } from '../../response/writers/fetch-writer.js';
import type { LastSampleExplainer } from '../../response/writers/range-writer.js';

type FetchRequest = OperationRequest<QueryOf<'fetchValues'>>;

export interface ExplainedFetch {
  readonly context: Context;
  readonly plan: FetchPlan;
  readonly selection: Selection | undefined;
  readonly form: FetchForm;
  /** The answer without the explanation: a text. */
  readonly write: (result: FetchResult, notes: FetchNotes) => Answer;
}

export async function explainedFetch(
  request: FetchRequest,
  { context, plan, selection, form, write }: ExplainedFetch,
): Promise<Answer> {
  const trace = new RangeTrace();
  const view = selection && context.fetching.keptView(plan, selection);
  const fetched = await context.fetching.fetch(
    plan,
    (result, notes) => ({ answer: write(result, notes), result: copyResult(result) }),
    view,
    trace,
  );
  const why = await context.explain({ ...sharedParts(request), plan, selection, trace, result: fetched.result });
  const body = String(fetched.answer.body);
  return jsonAnswer(`${body.slice(0, body.length - LINE_END.length - 1)}${whyMember(why, form)}}`);
}

/** Explains the last sample of a range once all of them were written. */
export function rangeExplainer(
  request: FetchRequest,
  range: Omit<ExplainedFetch, 'write'> & { readonly range: OpenRange; readonly trace: RangeTrace },
): LastSampleExplainer {
  const { context, form, ...explained } = range;
  let last: FetchResult | undefined;
  return {
    note: (sample) => {
      last = copyResult(sample);
    },
    member: async () =>
      last ? whyMember(await context.explain({ ...sharedParts(request), ...explained, result: last }), form) : '',
  };
}

/** Throw BAD_PARAMETER where `why` cannot be answered: it takes rows, and samples as they are. */
export function requireExplainableRange({ query }: FetchRequest, format: string): void {
  const [parameter, value] = query.points === undefined ? ['format', format] : ['points', query.points];
  if (parameter === 'format' && format === 'rows') return;
  const message = `'why' explains samples in rows, not with ${parameter}=${value}`;
  throw badParameter(parameter, message, parameter === 'format' ? 'format=rows' : 'no points');
}

function sharedParts(request: FetchRequest): { viewer: Viewer; wrap: boolean; signal: AbortSignal } {
  const { principal, query } = request;
  const seesOrigins = !principal || principal.may('admin') || isOnThisMachine(request);
  return { viewer: { seesOrigins, name: principal?.name }, wrap: query.wrap === true, signal: untilGone(request) };
}

/** The member `why` of an answer: times and integers in the form of the answer's values, bytes as null. */
function whyMember(why: Why, form: FetchForm): string {
  return `,"why":${writeWhy(why, form)}`;
}

function writeWhy(value: unknown, form: FetchForm): string {
  if (typeof value === 'bigint') {
    return form.isExact && !Number.isSafeInteger(Number(value)) ? `"${value}"` : String(value);
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value instanceof Uint8Array) return 'null';
  if (Array.isArray(value)) return `[${value.map((item) => writeWhy(item, form)).join(',')}]`;
  if ('nsec' in value && 'sec' in value) return form.timestamp({ sec: Number(value.sec), nsec: Number(value.nsec) });
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeWhy(member, form)}`).join(',')}}`;
}
