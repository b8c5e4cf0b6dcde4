import type { Colours } from './terminal-text.js';
import { printable } from './terminal-text.js';

/** A line of a tree, and what hangs below it. */
export interface TreeLine {
  readonly text: string;
  /** What is less important, behind the text. */
  readonly note?: string | undefined;
  readonly below?: readonly TreeLine[] | undefined;
}

/** Trees as text, with lines from each node to those below it. */
export function renderTree(trees: readonly TreeLine[], colours: Colours): string {
  return trees.map((tree) => renderNode(tree, '', '', colours)).join('\n');
}

function renderNode({ text, note, below = [] }: TreeLine, head: string, indent: string, colours: Colours): string {
  const dimmed = note === undefined ? '' : `  ${colours.dim(printable(note))}`;
  const lines = below.map((child, i) => {
    const isLast = i === below.length - 1;
    return renderNode(
      child,
      colours.dim(indent + (isLast ? '└─ ' : '├─ ')),
      indent + (isLast ? '   ' : '│  '),
      colours,
    );
  });
  return `${head}${printable(text)}${dimmed}\n${lines.join('')}`;
}
