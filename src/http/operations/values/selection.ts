import { parseSelection } from '../../../context/index.js';
import type { Selection, SelectionParameters } from '../../../context/index.js';
import { parseZone } from '../../../context/range/index.js';
import { fetchForm, FETCH_FORM } from '../../response/writers/fetch-writer.js';
import type { FetchForm } from '../../response/writers/fetch-writer.js';

/** The parameters of a fetch, a range or a stream that select, convert and format values. */
export interface SelectionQuery extends SelectionParameters {
  /** Timestamps as seconds or as ISO 8601. */
  readonly times?: 'epoch' | 'iso' | undefined;
  /** The zone of ISO 8601 timestamps; UTC by default. */
  readonly zone?: string | undefined;
  /** Whether 64-bit integers that a double cannot hold are texts. */
  readonly numbers?: 'plain' | 'exact' | undefined;
}

/** The parsed parameters. */
export interface ReadSelection {
  /** Undefined: all values, as they are. */
  readonly selection: Selection | undefined;
  /** The format of responses to fetches. */
  readonly form: FetchForm;
  /** The same, with the metadata of converted metrics. */
  readonly describedForm: FetchForm;
}

/** All values as they are, in the format of PMWEBAPI. */
const PLAIN: ReadSelection = { selection: undefined, form: FETCH_FORM, describedForm: FETCH_FORM };

/**
 * Parses the parameters.
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
