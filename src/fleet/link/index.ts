export { LinkError } from './handed-call.js';
export type { AnswerCall, HandedCall, LinkAnswer, OnClose } from './handed-call.js';
export { checkSecurity } from './handshake.js';
export type { LinkSecurity } from './handshake.js';
export { listenLink } from './listen-link.js';
export type { ListeningLink } from './listen-link.js';
export { MemberLink } from './member-link.js';
