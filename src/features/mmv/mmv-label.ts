import { attempt } from '../../kit/index.js';
import type { Label } from '../../pmapi/index.js';
import type { HostBytes } from './host-bytes.js';

export const LabelFlag = { INDOM: 4, CLUSTER: 8, ITEM: 16, INSTANCES: 32, OPTIONAL: 128 } as const;

/** A label record: its target in the file, and the labels. */
export interface MmvLabel {
  readonly flags: number;
  readonly identity: number;
  readonly instance: number;
  readonly labels: readonly Label[];
}

const JSON_BYTES = 244;
const LABEL_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;
/** Files may not set labels about the machine and the agent. */
const RESERVED: ReadonlySet<string> = new Set(['hostname', 'machineid', 'agent']);

/** Parses a label record, which is within the file; returns what is wrong if it is invalid. */
export function readLabel(bytes: HostBytes, at: number): MmvLabel | string {
  const flags = bytes.u32(at);
  const members = membersOf(bytes.text(at + 12, JSON_BYTES));
  if (!members) return 'a label that is not a JSON object';
  const isOptional = (flags & LabelFlag.OPTIONAL) !== 0;
  const labels: Label[] = [];
  for (const [name, json] of members) {
    if (RESERVED.has(name)) return `a label: ${name} is reserved`;
    if (!LABEL_NAME.test(name)) return 'a label with an invalid name';
    labels.push(isOptional ? { name, json, optional: true } : { name, json });
  }
  return { flags, identity: bytes.u32(at + 4), instance: bytes.i32(at + 8), labels };
}

/** A string, or a character outside of strings. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[^"]/gs;

/** The members of a JSON object, values as compact JSON text with all digits; undefined for anything else. */
function membersOf(text: string): readonly (readonly [name: string, json: string])[] | undefined {
  const value = attempt<unknown>(() => JSON.parse(text));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const members: [string, string][] = [];
  let depth = 0;
  let part = '';
  let name = '';
  const end = (): void => {
    if (part !== '') members.push([name, part]);
    part = '';
  };
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^\s$/.test(token)) continue;
    if (token === '}' || token === ']') depth--;
    if (depth === 0) {
      // The braces of the object itself.
      end();
      if (token === '{') depth = 1;
    } else if (depth === 1 && token === ':') {
      name = JSON.parse(part) as string;
      part = '';
    } else if (depth === 1 && token === ',') {
      end();
    } else {
      part += token;
      if (token === '{' || token === '[') depth++;
    }
  }
  return members;
}
