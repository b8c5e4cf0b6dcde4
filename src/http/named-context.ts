/** The context that a request names, for errors that come before its parameters are read, and for what depends on it. */
export function namedContext(
  url: string,
  path: Readonly<Record<string, string | string[] | undefined>>,
): number | undefined {
  const named = /[?&]context=(\d+)(?:&|$)/.exec(url)?.[1] ?? path.context;
  const id = typeof named === 'string' && /^\d+$/.test(named) ? Number(named) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}
