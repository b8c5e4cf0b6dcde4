import { pmidItem } from './identifiers.js';

/** Labels of contexts, domains, instance domains, clusters, items and instances. @see pmLookupLabels(3) */

/** A label. The value is kept as the JSON text that the source gave, so that no digit and no type is lost. */
export interface Label {
  readonly name: string;
  readonly json: string;
  /** True for labels that are not part of the source's identity (userid, groupid, notes). */
  readonly optional?: boolean;
}

/** The labels of one target; `instance` is INSTANCE_NULL unless the target is the instances of an indom. */
export interface LabelSet {
  readonly instance: number;
  readonly labels: readonly Label[];
}

/** A target of labels. `cluster` takes any PMID of the cluster. */
export type LabelTarget =
  | { readonly kind: 'context' }
  | { readonly kind: 'domain'; readonly domain: number }
  | { readonly kind: 'indom'; readonly indom: number }
  | { readonly kind: 'cluster'; readonly pmid: number }
  | { readonly kind: 'item'; readonly pmid: number }
  | { readonly kind: 'instances'; readonly indom: number };

/** A text for each target of labels: equal for all PMIDs of a cluster. */
export function labelTargetKey(target: LabelTarget): string {
  switch (target.kind) {
    case 'context':
      return target.kind;
    case 'domain':
      return `domain ${target.domain}`;
    case 'indom':
    case 'instances':
      return `${target.kind} ${target.indom}`;
    case 'cluster':
      return `cluster ${target.pmid - pmidItem(target.pmid)}`;
    case 'item':
      return `item ${target.pmid}`;
  }
}

/** A label from a JavaScript value. */
export function makeLabel(name: string, value: string | number | boolean | readonly string[]): Label {
  return { name, json: JSON.stringify(value) };
}

/** Merges label lists, from general to specific: the last of equal names wins. Sorted by name, as in libpcp. @see pmMergeLabelSets(3) */
export function mergeLabels(levels: readonly (readonly Label[])[]): readonly Label[] {
  const byName = new Map<string, Label>();
  for (const level of levels) for (const label of level) byName.set(label.name, label);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

const MAX_DEPTH = 8;
/** Values that nest deeper are not flattened at all: serialising them could overflow the stack. */
const MAX_NESTING = 100;

/** `{"b":{"c":1}}` of `a` becomes `a.b.c`; lists and values nested more than 100 deep stay. Plain values keep the source's text. */
export function flattenLabels(labels: readonly Label[]): readonly Label[] {
  return labels.flatMap((label) => {
    if (!label.json.startsWith('{') || nestsDeeper(label.json, MAX_NESTING)) return [label];
    let value: unknown;
    try {
      value = JSON.parse(label.json);
    } catch {
      return [label];
    }
    return flattenValue(label.name, value, 0).map((flat) => (label.optional ? { ...flat, optional: true } : flat));
  });
}

function flattenValue(name: string, value: unknown, depth: number): Label[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth >= MAX_DEPTH) {
    return [{ name, json: JSON.stringify(value) }];
  }
  return Object.entries(value).flatMap(([member, inner]) => flattenValue(`${name}.${member}`, inner, depth + 1));
}
/** Whether a JSON text nests lists and objects deeper than `most`, found in one pass without parsing it. */
export function nestsDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text[i];
    if (unit === '"') i = endOfString(text, i);
    else if (unit === ']' || unit === '}') depth--;
    else if ((unit === '[' || unit === '{') && ++depth > most) return true;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i;
}
