export { PushReceiver, type PushLimits } from './push-receiver.js';
