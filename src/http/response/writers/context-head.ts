import { jsonAnswer } from '../answer.js';
import type { Answer } from '../../contracts.js';

/** The answer to what changes something and has nothing else to tell; `members` follow. */
export function doneAnswer(contextId: number, client: string | undefined, members = ''): Answer {
  return jsonAnswer(`${contextHead(contextId, client)},"success":true${members}}`);
}

/** The members that begin nearly every answer: the context, and `client` when the request had one. No closing brace. */
export function contextHead(contextId: number, client: string | undefined): string {
  return client === undefined
    ? `{"context":${contextId}`
    : `{"context":${contextId},"client":${JSON.stringify(client)}`;
}
