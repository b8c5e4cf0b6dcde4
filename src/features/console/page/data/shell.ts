/** Commands that show the values of a metric elsewhere; a gateway does not have archives of this machine. */
export function commandsFor(gateway: string, source: string, metric: string): readonly (readonly [string, string])[] {
  const where = whereText(source);
  const query = source.startsWith('archive:')
    ? `archive=${encodeURIComponent(source.slice(8))}`
    : `hostspec=${encodeURIComponent(source)}`;
  return [
    ...(isLocal(source)
      ? []
      : ([['curl', `curl ${quoted(`${gateway}/pmapi/fetch?names=${metric}&${query}`)}`]] as const)),
    ['pmgate', pmgateCommand(gateway, source, `fetch ${metric}`)],
    ['pmval', `pmval ${where} ${metric}`],
  ];
}

/** A command of pmgate about a source. */
export function pmgateCommand(gateway: string, source: string, command: string): string {
  return `pmgate ${command} ${whereText(source)}${isLocal(source) ? '' : ` --url ${quoted(gateway)}`}`;
}

/** A source as an option of PCP's commands and ours. */
function whereText(source: string): string {
  const [, archive] = /^archive:(?:local:)?(.*)/.exec(source) ?? [];
  return archive === undefined ? `-h ${quoted(source)}` : `-a ${quoted(archive)}`;
}

function isLocal(source: string): boolean {
  return source.startsWith('archive:local:');
}

/** A word of a shell command, quoted if necessary. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
