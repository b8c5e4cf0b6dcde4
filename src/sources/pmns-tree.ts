import { addTo, getOrMake } from '../kit/index.js';
import { PM_ERR, PmError } from '../pmapi/index.js';
import type { NameResult, PmnsChildren } from './metric-source.js';

interface PmnsNode {
  pmid: number | undefined;
  readonly children: Map<string, PmnsNode>;
}

/** A Performance Metrics Name Space held in memory: names in the order in which they were given. @see PMNS(5) */
export class PmnsTree {
  readonly #root: PmnsNode = { pmid: undefined, children: new Map() };
  readonly #names = new Map<number, string[]>();

  /** A tree of name and PMID pairs. The first binding of a name wins, as in an archive's PMNS. */
  static of(entries: Iterable<readonly [name: string, pmid: number]>): PmnsTree {
    const tree = new PmnsTree();
    for (const [name, pmid] of entries) tree.add(name, pmid);
    return tree;
  }

  add(name: string, pmid: number): void {
    let node = this.#root;
    for (const component of name.split('.')) {
      node = getOrMake(node.children, component, () => ({ pmid: undefined, children: new Map() }));
    }
    if (node.pmid !== undefined) return;
    node.pmid = pmid;
    addTo(this.#names, pmid, name);
  }

  /** The PMID of a leaf, PM_ERR_NAME for an unknown name, PM_ERR_NONLEAF for an interior node. */
  lookup(name: string): NameResult {
    const node = name === '' ? undefined : this.#find(name);
    if (!node) return PM_ERR.NAME;
    return node.pmid ?? PM_ERR.NONLEAF;
  }

  /** All names of a PMID. Throws PM_ERR_PMID for none. */
  namesOf(pmid: number): readonly string[] {
    const names = this.#names.get(pmid);
    if (!names) throw new PmError(PM_ERR.PMID);
    return names;
  }

  /** Children of a node, '' being the root. Throws PM_ERR_NAME for an unknown one. */
  children(prefix: string): PmnsChildren {
    const leaf: string[] = [];
    const nonleaf: string[] = [];
    for (const [component, child] of this.#require(prefix).children) {
      // A name that is also the beginning of another (only archives have such) counts as an interior node.
      (child.children.size > 0 ? nonleaf : leaf).push(component);
    }
    return { leaf, nonleaf };
  }

  /** Full names of the leaves at or below a node, '' being the root. Throws PM_ERR_NAME for an unknown one. */
  traverse(prefix: string): readonly string[] {
    return leavesBelow(this.#require(prefix), prefix).map(([name]) => name);
  }

  entries(): readonly (readonly [name: string, pmid: number])[] {
    return leavesBelow(this.#root, '');
  }

  #require(prefix: string): PmnsNode {
    const node = this.#find(prefix);
    if (!node) throw new PmError(PM_ERR.NAME);
    return node;
  }

  #find(name: string): PmnsNode | undefined {
    if (name === '') return this.#root;
    let node: PmnsNode | undefined = this.#root;
    for (const component of name.split('.')) {
      node = node.children.get(component);
      if (!node) return undefined;
    }
    return node;
  }
}

function leavesBelow(from: PmnsNode, prefix: string): readonly (readonly [name: string, pmid: number])[] {
  const leaves: (readonly [string, number])[] = [];
  const walk = (node: PmnsNode, path: string): void => {
    if (node.pmid !== undefined) leaves.push([path, node.pmid]);
    for (const [component, child] of node.children) walk(child, path === '' ? component : `${path}.${component}`);
  };
  walk(from, prefix);
  return leaves;
}
