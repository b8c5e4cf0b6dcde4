/** What the page shows, and how its address says so. @see README.md, "Addresses" */

/** The screens by the last part of the page's path, and what they are called; '' is the first one. */
export const SCREEN_NAMES = {
  '': 'Now',
  processes: 'Processes',
  find: 'Find',
  chart: 'Chart',
  derive: 'Derive',
  changes: 'Changes',
  hosts: 'Hosts',
  archives: 'Archives',
  explain: 'Explain',
  process: 'Process',
} as const;
/** One of {@link SCREEN_NAMES}. */
export type Screen = keyof typeof SCREEN_NAMES;
/** All of them, in order. */
export const SCREENS = Object.keys(SCREEN_NAMES) as readonly Screen[];
/** The screens that are about something, which a link says: they are not in lists of screens. */
export const ABOUT_SCREENS: ReadonlySet<Screen> = new Set(['explain', 'process']);

/** How a lane draws its values; 'auto' chooses by their type. */
export const LANE_FORMS = ['line', 'stack', 'heat', 'state', 'table'] as const;
/** One of {@link LANE_FORMS}. */
export type LaneForm = (typeof LANE_FORMS)[number];

/** A lane of the chart: metrics of one dimension over the window. */
export interface Lane {
  readonly metrics: readonly string[];
  /** How many series are drawn: those with the greatest mean. */
  readonly top: number;
  /** A glob for the names of instances; undefined: all. */
  readonly instances?: string | undefined;
  /** Counters without conversion to rates. */
  readonly isRaw: boolean;
  /** Undefined: lines for numbers, states for texts. */
  readonly form?: LaneForm | undefined;
  /** The axis fits the values instead of beginning at zero. */
  readonly fits: boolean;
}

/** From one moment to another, in seconds since the epoch. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A window of time: the last seconds up to now, or from one moment to another, in seconds since the epoch. */
export type TimeChoice =
  | { readonly kind: 'live'; readonly spanSec: number }
  | ({ readonly kind: 'fixed' } & Span)
  | { readonly kind: 'default' };

/** A derived metric of this view only. */
export interface Definition {
  readonly name: string;
  readonly expression: string;
}

/** Everything that the address contains. */
export interface View {
  readonly screen: Screen;
  /** Hostspecs, and `archive:NAME`. */
  readonly on: readonly string[];
  readonly time: TimeChoice;
  readonly lanes: readonly Lane[];
  /** The pinned instant. */
  readonly cursor?: number | undefined;
  /** How many seconds before the shown time the samples beneath the lanes are from; undefined: there are none. */
  readonly shift?: number | undefined;
  /** A time zone; undefined: that of the source. */
  readonly zone?: string | undefined;
  /** What is searched for on Find and Processes, the nodes that Changes looks at, the cell of Hosts, the metric of Explain: `disk.dev.read`, or one value of it, `disk.dev.read[sda]`; the number of a process, or a control group. */
  readonly words: string;
  readonly definitions: readonly Definition[];
  /** The windows that Changes compares: what happened `after`, and what was `before`. */
  readonly after?: Span | undefined;
  readonly before?: Span | undefined;
  /** Parameters that are not understood, kept as they are. */
  readonly unknown: readonly (readonly [string, string])[];
}

declare global {
  /** Whether the page is a file of its own, without a gateway, whose address is its fragment. */
  const IS_VIEWER: boolean;
}

const DEFAULT_TOP = 8;
/** The maximum number of lines: more would be unreadable. */
export const MAX_TOP = 64;
const DEFAULT_SOURCE = IS_VIEWER ? 'no archive' : 'localhost';
const MAX_LANES = 100;
const MAX_DEFINITIONS = 20;
const MAX_EXPRESSION = 4000;
/** The longest window. */
export const LONGEST_SEC = 10 * 365 * 86_400;

/** The view of an address without parameters. */
export const EMPTY_VIEW: View = {
  screen: '',
  on: [DEFAULT_SOURCE],
  time: { kind: 'default' },
  lanes: [],
  words: '',
  definitions: [],
  unknown: [],
};

/** A lane for a metric, with defaults for all else. */
export function laneOf(...metrics: readonly string[]): Lane {
  return { metrics, top: DEFAULT_TOP, isRaw: false, fits: false };
}

/** A lane for an instance of a metric, as a glob that also matches names with `*` in them; undefined: all instances. */
export function laneWith(metric: string, instance: string | undefined): Lane {
  return { ...laneOf(metric), instances: instance?.replaceAll('*', '?') };
}

/** The address of a view, relative to /console/: `chart?on=web1&t=-30min&lane=kernel.all.load`. */
export function encodeView(view: View): string {
  const parts: string[] = [];
  const add = (key: string, value: string): void => void parts.push(`${encode(key)}=${encode(value)}`);
  const isDefault = view.on.length === 1 && view.on[0] === DEFAULT_SOURCE;
  if (!isDefault) for (const source of view.on) add('on', source);
  const time = encodeTime(view.time);
  if (time !== undefined) add('t', time);
  for (const lane of view.lanes) add('lane', encodeLane(lane));
  for (const { name, expression } of view.definitions) add('def', `${name}:${expression}`);
  if (view.words !== '') add('q', view.words);
  if (view.after) add('b', spanText(view.after));
  if (view.before) add('a', spanText(view.before));
  if (view.cursor !== undefined) add('cur', momentText(view.cursor));
  if (view.shift !== undefined) add('shift', shiftText(view.shift));
  if (view.zone !== undefined) add('z', view.zone);
  for (const [key, value] of view.unknown) add(key, value);
  const path = (IS_VIEWER ? '#' : '') + (view.screen === '' ? './' : view.screen);
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}

/** {@link encodeView} of a view with words: all else is encoded once, for links to many words. */
export function encodeWords(view: View): (words: string) => string {
  const rest = encodeView({ ...view, words: '' });
  const start = `${rest}${rest.includes('?') ? '&' : '?'}q=`;
  return (words) => `${start}${encode(words)}`;
}

/** The view of a screen and a query, with or without its question mark. What is not understood is in `unknown`. */
export function decodeView(screen: Screen, query: string): View {
  let read: ReadAddress = { on: [], lanes: [], definitions: [] };
  const unknown: (readonly [string, string])[] = [];
  for (const [key, value] of new URLSearchParams(query)) {
    const found = readParameter(read, key, value);
    if (found) read = { ...read, ...found };
    else unknown.push([key, value]);
  }
  const on = read.on.length === 0 ? EMPTY_VIEW.on : read.on;
  return { ...EMPTY_VIEW, ...read, screen, on, unknown };
}

/** What was read of an address. */
type ReadAddress = Pick<View, 'on' | 'lanes' | 'definitions'> & Partial<View>;

/** What a parameter adds; undefined for an unknown or duplicate one. */
function readParameter(read: ReadAddress, key: string, value: string): Partial<View> | undefined {
  const { on, lanes, definitions } = read;
  if (key === 'on') return value === '' || on.includes(value) ? undefined : { on: [...on, value] };
  if (key === 'lane') {
    const lane = lanes.length < MAX_LANES ? decodeLane(value) : undefined;
    return lane && { lanes: [...lanes, lane] };
  }
  if (key === 'def') {
    const made = definitions.length < MAX_DEFINITIONS ? decodeDefinition(value) : undefined;
    const isNew = made && definitions.every(({ name }) => name !== made.name);
    return isNew ? { definitions: [...definitions, made] } : undefined;
  }
  const [name, decode] = ONCE.get(key) ?? [];
  const found = decode?.(value);
  return name === undefined || read[name] !== undefined || found === undefined ? undefined : { [name]: found };
}

/** The parameters that are there once at most. */
const ONCE = new Map<string, readonly [keyof View, (text: string) => unknown]>([
  ['t', ['time', decodeTime]],
  ['a', ['before', decodeSpan]],
  ['b', ['after', decodeSpan]],
  ['q', ['words', (text) => text || undefined]],
  ['cur', ['cursor', decodeMoment]],
  ['shift', ['shift', decodeShift]],
  ['z', ['zone', (text) => text || undefined]],
]);

/** `-15min` and the like, or `START/END`; undefined for the default. */
function encodeTime(time: TimeChoice): string | undefined {
  if (time.kind === 'default') return undefined;
  return time.kind === 'fixed' ? spanText(time) : lengthText(-time.spanSec);
}

/** `-5min`, `30sec`: in the largest unit of addresses that divides it. */
function lengthText(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60}min` : `${seconds}sec`;
}

/** `7d`, `1h`, `90min`: in the largest unit that divides it. */
function shiftText(seconds: number): string {
  if (seconds % 3600 !== 0) return lengthText(seconds);
  return seconds % 86_400 === 0 ? `${seconds / 86_400}d` : `${seconds / 3600}h`;
}

/** The seconds of `7d`, `1h` and the like; undefined for anything else. */
export function decodeShift(text: string): number | undefined {
  const seconds = decodeLength(text);
  return seconds !== undefined && seconds > 0 ? seconds : undefined;
}

function decodeLength(text: string): number | undefined {
  const found = /^(-?\d{1,9})(s|m|h|d|w|sec|min|hour|day|week)$/.exec(text);
  if (!found) return undefined;
  const seconds = Number(found[1]) * { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }[found[2]![0] as 's'];
  return seconds !== 0 && Math.abs(seconds) <= LONGEST_SEC ? seconds : undefined;
}

function spanText({ start, end }: Span): string {
  return `${momentText(start)}/${momentText(end)}`;
}

function decodeSpan(text: string): Span | undefined {
  const [from, to, ...rest] = text.split('/');
  if (to === undefined || rest.length > 0) return undefined;
  const [start, end] = [decodeMoment(from!), decodeMoment(to)];
  return start !== undefined && end !== undefined && start < end ? { start, end } : undefined;
}

function decodeDefinition(text: string): Definition | undefined {
  const colon = text.indexOf(':');
  const [name, expression] = [text.slice(0, colon), text.slice(colon + 1)];
  const isGood = colon > 0 && isMetricName(name) && expression !== '' && expression.length <= MAX_EXPRESSION;
  return isGood ? { name, expression } : undefined;
}

function decodeTime(text: string): TimeChoice | undefined {
  const length = decodeLength(text);
  if (length !== undefined) return length < 0 ? { kind: 'live', spanSec: -length } : undefined;
  const span = decodeSpan(text);
  return span && { kind: 'fixed', ...span };
}

/** A moment in ISO 8601 with milliseconds, which is what a picture can show. */
export function momentText(sec: number): string {
  return new Date(Math.round(sec * 1000)).toISOString().replace(/\.000Z$/, 'Z');
}

/** Seconds since the epoch of ISO 8601 in UTC; undefined for anything else. */
function decodeMoment(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms / 1000;
}

/** `kernel.all.load+mem.util.free~top:4~i:sd*~raw~as:heat~fit`. */
export function encodeLane({ metrics, top, instances, isRaw, form, fits }: Lane): string {
  const options = [
    ...(top === DEFAULT_TOP ? [] : [`top:${top}`]),
    ...(instances === undefined ? [] : [`i:${instances.replaceAll('%', '%25').replaceAll('~', '%7E')}`]),
    ...(isRaw ? ['raw'] : []),
    ...(form === undefined ? [] : [`as:${form}`]),
    ...(fits ? ['fit'] : []),
  ];
  return [metrics.join('+'), ...options].join('~');
}

/** Parses a lane; undefined if any part of it is invalid. */
export function decodeLane(text: string): Lane | undefined {
  const [what = '', ...options] = text.split('~');
  const metrics = what.split('+');
  if (metrics.some((name) => !isMetricName(name)) || new Set(metrics).size < metrics.length) return undefined;
  let lane = laneOf(...metrics);
  for (const option of options) {
    const colon = option.indexOf(':');
    const [key, value] = colon === -1 ? [option, ''] : [option.slice(0, colon), option.slice(colon + 1)];
    if (key === 'top' && /^[1-9]\d?$/.test(value) && Number(value) <= MAX_TOP) lane = { ...lane, top: Number(value) };
    else if (key === 'i' && value !== '') {
      lane = { ...lane, instances: value.replaceAll('%7E', '~').replaceAll('%25', '%') };
    } else if (option === 'raw') lane = { ...lane, isRaw: true };
    else if (key === 'as' && LANE_FORMS.includes(value as LaneForm)) lane = { ...lane, form: value as LaneForm };
    else if (option === 'fit') lane = { ...lane, fits: true };
    else return undefined;
  }
  return lane;
}

/** Whether a text can be the name of a metric; components after the first may begin with a digit, as those of applications do. */
export function isMetricName(text: string): boolean {
  return text.length <= 1000 && /^[A-Za-z]\w*(?:\.\w+)*$/.test(text);
}

/** As encodeURIComponent, but leaves characters that addresses may contain, since people read them. */
function encode(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'))
    .replaceAll('%3A', ':')
    .replaceAll('%2F', '/')
    .replaceAll('%2C', ',')
    .replaceAll('%3D', '=');
}
