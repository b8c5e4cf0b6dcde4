import type { SearchDocument } from './search-document.js';

/** How much more often a node is wanted than others: metrics of the whole machine, rather than of parts and special subsystems. */
const PRIORS: Readonly<Record<string, number>> = {
  hinv: 2,
  kernel: 2,
  'kernel.all': 8,
  'kernel.cpu': 4,
  'kernel.uname': 8,
  mem: 2,
  'mem.util': 8,
  swap: 8,
  disk: 2,
  'disk.all': 8,
  'disk.dev': 6,
  filesys: 8,
  network: 2,
  'network.interface': 8,
  proc: 2,
  vfs: 2,
};
/** People look for values of metrics; instance domains are also found by their descriptions. */
const INDOM_PRIOR = 0.25;
/** Levels of the namespace in the table. */
const LEVELS = 2;

/** The prior probability that an entity with matching words is the wanted one, relative to 1 for any other. */
export function priorOf({ type, name }: SearchDocument): number {
  if (type === 'instance') return 1;
  if (type === 'indom') return INDOM_PRIOR;
  const parts = name.split('.', LEVELS);
  return PRIORS[parts.join('.')] ?? PRIORS[parts[0]!] ?? 1;
}
