import { Host, type Gateway, type Query } from '../gateway.js';
import { bounded } from '../text.js';
import type { Report } from '../report.js';

/** Arguments of a call: strings, numbers and lists of strings, as the tool's `properties` say. */
export type Arguments = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** The schema of an argument. */
export type Property = { type: string } & Record<string, string | number | { type: string }>;

/** A tool: it only reads. The requests that it makes check the values of its arguments. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
  run(given: Arguments, gateway: Gateway): Promise<Report>;
}

const text = { type: 'string' } as const;
/** Arguments that several tools have. */
export const HOST = { ...text, description: 'default localhost' };
export const TIME = { ...text, description: 'ISO 8601, or -10min' };
export const WORDS = text;
export const INSTANCE = { ...text, description: 'its name, or #number' };
export const NAMES = { type: 'array', items: text };
export const COUNT = { type: 'integer', minimum: 1, maximum: 50 };

/** The host of a call, at its time. */
export function hostOf(given: Arguments, gateway: Gateway): Host {
  const time = textOf(given, 'finish') ?? textOf(given, 'at') ?? textOf(given, 'start') ?? '';
  return new Host(gateway, textOf(given, 'host') ?? 'localhost', Date.parse(time) / 1000);
}

/** The names of a call. */
export function namesOf({ names }: Arguments): readonly string[] {
  return typeof names === 'object' ? names : [];
}

/** An argument that is a text. */
export function textOf(given: Arguments, name: string): string | undefined {
  const value = given[name];
  return typeof value === 'string' ? value : undefined;
}

/** An argument that is a number. */
export function numberOf(given: Arguments, name: string, otherwise: number): number {
  const value = given[name];
  return typeof value === 'number' ? value : otherwise;
}

/** An instance as an argument: by its name, or by its number where the name cannot be one. */
export function instanceArgument(name: string | undefined, id: number | null | undefined): Arguments {
  if (id === null || id === undefined) return {};
  return { instance: name === undefined || /[,#]/.test(name) || bounded(name) !== name ? `#${id}` : name };
}

/** The parameters that select it. */
export function instanceQuery(given: Arguments): Query {
  const instance = textOf(given, 'instance');
  return instance?.startsWith('#') === true ? { instance: instance.slice(1) } : { iname: instance };
}
