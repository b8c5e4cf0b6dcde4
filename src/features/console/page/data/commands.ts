import { findMetrics } from './find-metrics.js';

/** Something that Ctrl+K goes to. */
export interface Command {
  readonly name: string;
  /** Its kind, and what more is to be said of it: `metric · Kbytes read`. */
  readonly 'text-oneline': string;
  readonly kind: CommandKind;
  readonly run: () => void;
}

const KINDS = ['time', 'screen', 'action', 'host', 'archive', 'metric'] as const;
type CommandKind = (typeof KINDS)[number];

/** So many of each kind: a thousand metrics must not hide a host. */
const MOST_OF_KIND = 8;

/**
 * The commands that have all words, best first, as {@link findMetrics} ranks names; a few of each kind, and those of a kind that is
 * named in full (`archive web`) alone. Without words, screens and actions.
 */
export function rankCommands(commands: readonly Command[], text: string): readonly Command[] {
  const words = text.trim().toLowerCase().split(/\s+/);
  if (words[0] === '') return commands.filter(({ kind }) => kind === 'screen' || kind === 'action');
  const kind = KINDS.find((each) => words.length > 1 && (words[0] === each || words[0] === `${each}s`));
  const found = kind
    ? findMetrics(
        commands.filter((each) => each.kind === kind),
        words.slice(1).join(' '),
      )
    : findMetrics(commands, text);
  const counts = new Map<CommandKind, number>();
  return found.filter((each) => {
    const count = (counts.get(each.kind) ?? 0) + 1;
    counts.set(each.kind, count);
    return count <= MOST_OF_KIND || kind !== undefined;
  });
}
