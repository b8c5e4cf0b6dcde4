/** The members that begin nearly every answer: the context, and `client` when the request had one. No closing brace. */
export function contextHead(contextId: number, client: string | undefined): string {
  return client === undefined
    ? `{"context":${contextId}`
    : `{"context":${contextId},"client":${JSON.stringify(client)}`;
}
