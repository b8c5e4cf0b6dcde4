/** The text that all members share, with its version. Versions are consecutive, from 1 on. */
export interface SharedDocument {
  readonly version: number;
  readonly text: string;
  /** Which node of the engine took which versions: its epoch, and the first of them; oldest first. */
  readonly nodes: readonly (readonly [epoch: string, first: number])[];
}

/** Before the first version. */
export const NO_DOCUMENT: SharedDocument = { version: 0, text: '', nodes: [] };

/** A node takes over when the engine fails over: so many are enough to compare versions of months. */
const NODES_KEPT = 16;

/** Identifies a version: its number, and the node that took it, since two nodes may have taken different ones after a failover. */
export function idOf({ version, nodes }: SharedDocument): string {
  return version === 0 ? '' : `${version} ${nodes.at(-1)![0]}`;
}

export function nextVersion({ version, nodes }: SharedDocument, text: string, epoch: string): SharedDocument {
  const isSameNode = nodes.at(-1)?.[0] === epoch;
  const more = isSameNode ? [] : [[epoch, version + 1] as const];
  return { version: version + 1, text, nodes: [...nodes, ...more].slice(-NODES_KEPT) };
}

/** Whether one version is another one, or led to it. */
export function leadsTo(one: SharedDocument, other: SharedDocument): boolean {
  if (one.version === 0 || one.version > other.version) return one.version === 0;
  const node = other.nodes.findLast(([, first]) => first <= one.version);
  // What is older than the nodes that are kept can no longer be compared.
  return node === undefined || node[0] === one.nodes.at(-1)![0];
}

/** A document of JSON that another program may have written, or undefined if it is invalid. */
export function documentIn(value: unknown): SharedDocument | undefined {
  const { version, text, nodes } = (value ?? {}) as Partial<SharedDocument>;
  const isWhole =
    Number.isSafeInteger(version) &&
    version! > 0 &&
    typeof text === 'string' &&
    Array.isArray(nodes) &&
    nodes.length > 0 &&
    nodes.every((node: unknown) => Array.isArray(node) && typeof node[0] === 'string' && Number.isSafeInteger(node[1]));
  return isWhole ? { version: version!, text, nodes: nodes as SharedDocument['nodes'] } : undefined;
}
