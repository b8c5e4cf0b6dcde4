import type { Head } from './engine.js';

/** What members tell one another through the engine. Any message may get lost. */
export type Message =
  /** The log is replicated up to here. */
  | { readonly kind: 'replicated'; readonly head: Head }
  /** A member has applied the log up to here. */
  | { readonly kind: 'applied'; readonly member: string; readonly head: Head };

/** What a member publishes with its lease. */
export interface MemberDetails {
  readonly head: Head;
  /** A hash of what must be equal at all members, such as the definition files. */
  readonly digest: string;
  /** Where other members reach it; absent if they cannot. */
  readonly link?: LinkAddress | undefined;
  /** Whether it is about to end: it gets nothing new to do. */
  readonly isLeaving?: boolean | undefined;
}

/** Where a member listens for the others. */
export type LinkAddress = { readonly host: string; readonly port: number } | { readonly path: string };

/** Messages and leases are short. */
const MAX_CHARACTERS = 4096;

export function formatMessage(message: Message): string {
  return JSON.stringify(message);
}

/** A message, or undefined if the text is invalid. */
export function parseMessage(text: string): Message | undefined {
  const { kind, member, head: unchecked } = parseRecord(text);
  const head = headOf(unchecked);
  if (head && kind === 'replicated') return { kind, head };
  if (head && kind === 'applied' && typeof member === 'string') return { kind, member, head };
  return undefined;
}

/** What a lease says; a head of undefined for a text that says nothing. */
export function parseDetails(text: string): Partial<MemberDetails> {
  const { head: unchecked, digest, link: uncheckedLink, isLeaving } = parseRecord(text);
  const head = headOf(unchecked);
  const link = linkOf(uncheckedLink);
  return {
    ...(head && { head }),
    ...(typeof digest === 'string' && { digest }),
    ...(link && { link }),
    isLeaving: isLeaving === true,
  };
}

function linkOf(value: unknown): LinkAddress | undefined {
  const { host, port, path } = isRecord(value) ? value : {};
  if (typeof path === 'string') return { path };
  const isPort = Number.isInteger(port) && (port as number) > 0 && (port as number) < 65_536;
  return typeof host === 'string' && isPort ? { host, port: port as number } : undefined;
}

function headOf(value: unknown): Head | undefined {
  const { version, hash } = isRecord(value) ? value : {};
  return Number.isSafeInteger(version) && typeof hash === 'string' ? { version: version as number, hash } : undefined;
}

function parseRecord(text: string): Readonly<Record<string, unknown>> {
  if (text.length > MAX_CHARACTERS) return {};
  try {
    const value = JSON.parse(text) as unknown;
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
