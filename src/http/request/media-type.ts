interface MediaType {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const NAME = new RegExp(`^\\s*(${TOKEN}/${TOKEN})\\s*(?=;|$)`);
// Blanks match in one place only: otherwise there would be exponentially many ways to match them.
const PARAMETER = new RegExp(`;\\s*(?:(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")\\s*)?(?=;|$)`, 'y');

/** Parses one media type with its parameters; undefined if it is invalid. @see RFC 9110, 8.3.1 */
export function parseMediaType(text: string): MediaType | undefined {
  const head = NAME.exec(text);
  if (!head) return undefined;
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = head[0].length;
  while (PARAMETER.lastIndex < text.length) {
    const match = PARAMETER.exec(text);
    if (!match) return undefined;
    const [, name, token, quoted] = match;
    if (name !== undefined) parameters.set(name.toLowerCase(), token ?? (quoted ?? '').replace(/\\(.)/g, '$1'));
  }
  return { name: head[1]!.toLowerCase(), parameters };
}

interface Offer {
  readonly name: string;
  /** Versions that a client may request in a `version` parameter; a range with another version does not match. */
  readonly versions?: readonly string[];
}

/** By quality, then the most specific, then the first; the first offer if nothing is acceptable. @see RFC 9110, 12.5.1 */
export function negotiate<Offers extends readonly [Offer, ...Offer[]]>(
  accept: string | undefined,
  offers: Offers,
): Offers[number] {
  if (accept === undefined) return offers[0];
  const ranges = splitList(accept).flatMap((text) => parseMediaType(text) ?? []);
  let best = { offer: offers[0] as Offers[number], quality: 0, precision: 0 };
  for (const offer of offers) {
    const match = bestRange(offer, ranges);
    const isBetter =
      match.quality > best.quality || (match.quality === best.quality && match.precision > best.precision);
    if (match.quality > 0 && isBetter) best = { offer, ...match };
  }
  return best.offer;
}

/** The most specific range that matches an offer, with its quality: 0 without one. */
function bestRange(offer: Offer, ranges: readonly MediaType[]): { quality: number; precision: number } {
  let found = { quality: 0, precision: 0 };
  for (const range of ranges) {
    const precision = precisionOf(range, offer);
    if (precision === 0 || precision < found.precision) continue;
    const quality = readQuality(range.parameters.get('q'));
    if (precision > found.precision || quality > found.quality) found = { quality, precision };
  }
  return found;
}

/** 0: no match; 1: any; 2: its type; 3: the media type; 4: with a version. */
function precisionOf(range: MediaType, offer: Offer): number {
  if (range.name === '*/*') return 1;
  if (range.name === `${offer.name.split('/')[0]!}/*`) return 2;
  if (range.name !== offer.name) return 0;
  const version = range.parameters.get('version');
  if (version === undefined) return 3;
  return offer.versions?.includes(version) === true ? 4 : 0;
}

/** A quality from 0 to 1: 1 if absent, 0 if invalid. @see RFC 9110, 12.4.2 */
export function readQuality(text: string | undefined): number {
  if (text === undefined) return 1;
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}

/** Splits at commas outside of quotes. */
function splitList(text: string): string[] {
  return text.match(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g) ?? [];
}
