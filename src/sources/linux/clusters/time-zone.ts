/**
 * The machine's time zone as clients want it from pmcd.timezone: $TZ as it stands, else a POSIX TZ string made from the
 * zone's rules (`UTC`, `CET-1CEST`). The rules of when daylight saving begins are left out, as PCP leaves them out.
 * @see tzset(3)
 */
export function posixTimeZone(environment: NodeJS.ProcessEnv = process.env, now = new Date()): string {
  if (environment.TZ !== undefined && environment.TZ !== '') return environment.TZ;
  return zoneText(Intl.DateTimeFormat().resolvedOptions().timeZone, now.getFullYear());
}

/** A POSIX TZ string for a zone of the time zone database, as its rules are in `year`. */
export function zoneText(zone: string, year: number): string {
  const [january, july] = [new Date(Date.UTC(year, 0, 1)), new Date(Date.UTC(year, 6, 1))];
  const [inJanuary, inJuly] = [eastMinutes(zone, january), eastMinutes(zone, july)];
  const isSouthern = inJanuary > inJuly; // the summer's offset is the one further east
  const [standard, summer] = isSouthern ? [july, january] : [january, july];
  const offset = Math.min(inJanuary, inJuly);
  const name = zoneName(zone, standard, offset);
  if (inJanuary === inJuly) return offset === 0 ? name : `${name}${offsetText(offset)}`;
  return `${name}${offsetText(offset)}${zoneName(zone, summer, Math.max(inJanuary, inJuly))}`;
}

function nameAt(zone: string, at: Date, timeZoneName: 'short' | 'longOffset'): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** `GMT`, `GMT+05:30`: minutes east of Greenwich. */
function eastMinutes(zone: string, at: Date): number {
  const [, sign, hours, minutes] = /([+-])(\d+):(\d+)/.exec(nameAt(zone, at, 'longOffset')) ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** An abbreviation when there is one, else the offset in angle brackets, which POSIX allows for a name. */
function zoneName(zone: string, at: Date, east: number): string {
  const name = nameAt(zone, at, 'short');
  if (/^[A-Z]{3,6}$/.test(name)) return name;
  const { hours, minutes } = parts(east);
  return `<${east < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}${minutes === 0 ? '' : String(minutes).padStart(2, '0')}>`;
}

/** POSIX counts westward. */
function offsetText(east: number): string {
  const { hours, minutes } = parts(east);
  return `${east > 0 ? '-' : ''}${hours}${minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`}`;
}

function parts(east: number): { readonly hours: number; readonly minutes: number } {
  return { hours: Math.trunc(Math.abs(east) / 60), minutes: Math.abs(east) % 60 };
}
