import { parseSelection } from '../../../context/index.js';
import type { Selection, SelectionParameters } from '../../../context/index.js';
import { parseZone } from '../../../context/range/index.js';
import { fetchForm, FETCH_FORM } from '../../response/writers/fetch-writer.js';
import type { FetchForm } from '../../response/writers/fetch-writer.js';

/** What a request may say of the values of a fetch, a range or a stream, and of how they are written. */
export interface SelectionQuery extends SelectionParameters {
  /** Time stamps as seconds or as ISO 8601. */
  readonly times?: 'epoch' | 'iso' | undefined;
  /** The zone of ISO 8601 time stamps; UTC by default. */
  readonly zone?: string | undefined;
  /** Whether 64-bit integers that a double cannot hold are texts. */
  readonly numbers?: 'plain' | 'exact' | undefined;
}

/** What was said. */
export interface ReadSelection {
  /** Undefined: all values, as they are. */
  readonly selection: Selection | undefined;
  /** The form of answers to fetches. */
  readonly form: FetchForm;
  /** The same, with what the metrics of the answer are now when values were converted. */
  readonly describedForm: FetchForm;
}

/** All values as they are, as PMWEBAPI writes them. */
const PLAIN: ReadSelection = { selection: undefined, form: FETCH_FORM, describedForm: FETCH_FORM };

/**
 * Read what a request says of its values.
 * @throws GatewayError BAD_PARAMETER, BAD_PATTERN, CONVERSION and LIMIT_EXCEEDED, which name the parameter
 */
export function readSelection(query: SelectionQuery): ReadSelection {
  const selection = parseSelection(query);
  const { times, zone, numbers } = query;
  if (!selection && times !== 'iso' && numbers !== 'exact') return PLAIN;
  const choice = { isoZone: times === 'iso' ? parseZone(zone ?? 'UTC') : undefined, isExact: numbers === 'exact' };
  const form = fetchForm(choice);
  const isConverted = selection?.rate !== undefined || selection?.units !== undefined;
  return { selection, form, describedForm: isConverted ? fetchForm({ ...choice, describes: true }) : form };
}
