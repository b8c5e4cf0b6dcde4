import { RangeTrace } from '../../../context/index.js';
import type { Context, FetchNotes, FetchPlan, OpenRange, Selection, Viewer } from '../../../context/index.js';
import { badParameter, type FetchResult } from '../../../pmapi/index.js';
import type { Answer, OperationRequest, QueryOf } from '../../contracts.js';
import { untilGone } from '../../request/client-gone.js';
import { isOnThisMachine } from '../../request/request-context.js';
import { jsonAnswer, LINE_END } from '../../response/answer.js';
import type { FetchForm } from '../../response/writers/fetch-writer.js';
import { whyMember } from '../../response/writers/why-writer.js';

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
    (result, notes) => ({ answer: write(result, notes), result: result.copy() }),
    view,
    trace,
  );
  const why = await context.explain({ ...sharedParts(request), plan, selection, trace, result: fetched.result });
  const body = String(fetched.answer.body);
  return jsonAnswer(`${body.slice(0, body.length - LINE_END.length - 1)}${whyMember(why, form)}}`);
}

/** Explains the last sample of a range once all of them were written. */
export class RangeExplainer {
  readonly #explain: (last: FetchResult) => ReturnType<Context['explain']>;
  readonly #form: FetchForm;
  #last: FetchResult | undefined;

  constructor(
    request: FetchRequest,
    {
      context,
      form,
      ...explained
    }: Omit<ExplainedFetch, 'write'> & { readonly range: OpenRange; readonly trace: RangeTrace },
  ) {
    this.#explain = (result) => context.explain({ ...sharedParts(request), ...explained, result });
    this.#form = form;
  }

  note(sample: FetchResult): void {
    this.#last = sample.copy();
  }

  /** The member `why`, with a comma before it; nothing for a range without samples. */
  async member(): Promise<string> {
    return this.#last ? whyMember(await this.#explain(this.#last), this.#form) : '';
  }
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
