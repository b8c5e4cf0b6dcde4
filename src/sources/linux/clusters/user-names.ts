/** User names by number, from the text of /etc/passwd. Lines that are not understood are left out. @see passwd(5) */
export function parseUserNames(text: string): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const line of text.split('\n')) {
    const [name, , uid] = line.split(':');
    if (name === undefined || name === '' || uid === undefined || !/^\d{1,10}$/.test(uid)) continue;
    if (!names.has(Number(uid))) names.set(Number(uid), name);
  }
  return names;
}
