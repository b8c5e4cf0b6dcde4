import { jsonAnswer } from '../answer.js';
import type { Answer } from '../../contracts.js';

/** The response to a change that has nothing else to report; `members` follow. */
export function doneAnswer(contextId: number, client: string | undefined, members = ''): Answer {
  return jsonAnswer(`${contextHead(contextId, client)},"success":true${members}}`);
}

/** The members at the start of nearly every response: the context, and `client` if the request had one. No closing brace. */
export function contextHead(contextId: number, client: string | undefined): string {
  return client === undefined
    ? `{"context":${contextId}`
    : `{"context":${contextId},"client":${JSON.stringify(client)}`;
}
