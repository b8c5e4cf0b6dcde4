import type { Why } from '../../../context/index.js';
import type { FetchForm } from './fetch-writer.js';

/** The member `why` of an answer: times and integers in the form of the answer's values, bytes as null. */
export function whyMember(why: Why, form: FetchForm): string {
  return `,"why":${write(why, form)}`;
}

function write(value: unknown, form: FetchForm): string {
  if (typeof value === 'bigint') {
    return form.isExact && !Number.isSafeInteger(Number(value)) ? `"${value}"` : String(value);
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value instanceof Uint8Array) return 'null';
  if (Array.isArray(value)) return `[${value.map((item) => write(item, form)).join(',')}]`;
  if ('nsec' in value && 'sec' in value) return form.timestamp({ sec: Number(value.sec), nsec: Number(value.nsec) });
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${write(member, form)}`).join(',')}}`;
}
