export { LinkError, type AnswerCall, type HandedCall, type LinkAnswer, type OnClose } from './handed-call.js';
export { checkSecurity, type LinkSecurity } from './handshake.js';
export { listenLink, type ListeningLink } from './listen-link.js';
export { MemberLink } from './member-link.js';
