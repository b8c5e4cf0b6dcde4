export { PushReceiver } from './push-receiver.js';
export type { PushLimits } from './push-receiver.js';
