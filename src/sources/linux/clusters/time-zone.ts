/**
 * The machine's time zone as clients want it from pmcd.timezone: $TZ as it stands, else a POSIX TZ string made from the
 * zone's rules (`UTC`, `CET-1CEST`). The rules of when daylight saving begins are left out, as PCP leaves them out.
 * @see tzset(3)
 */
export function posixTimeZone(environment: NodeJS.ProcessEnv = process.env, now = new Date()): string {
  if (environment.TZ !== undefined && environment.TZ !== '') return environment.TZ;
  const year = now.getFullYear();
  return zoneText(new Date(year, 0, 1), new Date(year, 6, 1));
}

/** A POSIX TZ string from two moments of a year, half a year apart. */
export function zoneText(january: Date, july: Date): string {
  // getTimezoneOffset counts westward, as POSIX does, and daylight saving makes it less
  const [standard, summer] =
    january.getTimezoneOffset() >= july.getTimezoneOffset() ? [january, july] : [july, january];
  const offset = standard.getTimezoneOffset();
  const hasSummerTime = summer.getTimezoneOffset() !== offset;
  const name = zoneName(standard);
  if (offset === 0 && !hasSummerTime) return name;
  return `${name}${offsetText(offset)}${hasSummerTime ? zoneName(summer) : ''}`;
}

function zoneName(at: Date): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(at);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC';
  if (/^[A-Z]{3,6}$/.test(name)) return name;
  const east = -at.getTimezoneOffset();
  const hours = String(Math.trunc(Math.abs(east) / 60)).padStart(2, '0');
  const minutes = Math.abs(east) % 60;
  return `<${east < 0 ? '-' : '+'}${hours}${minutes === 0 ? '' : String(minutes).padStart(2, '0')}>`;
}

function offsetText(westMinutes: number): string {
  const sign = westMinutes < 0 ? '-' : '';
  const hours = Math.trunc(Math.abs(westMinutes) / 60);
  const minutes = Math.abs(westMinutes) % 60;
  return `${sign}${hours}${minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`}`;
}
