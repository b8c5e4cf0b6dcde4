/** What the first screen does not need at once: a script of its own, loaded when a part of it is wanted. */
import type { JSX } from 'preact';
import type { Screen } from '../state/url-state.js';
import { ArchivesScreen } from './archives.js';
import { ChangesScreen } from './changes.js';
import { DeriveScreen } from './derive.js';
import { ExplainScreen } from './explain.js';
import { FindScreen } from './find.js';
import { HostsScreen } from './hosts.js';
import { ProcessScreen } from './process.js';
import { ProcessesScreen } from './processes.js';

export { CommandPalette } from '../parts/command-palette.js';
export { Proof } from '../parts/proof.js';
export { Users } from './processes.js';

export const OTHER_SCREENS: Readonly<Record<Exclude<Screen, '' | 'chart'>, () => JSX.Element>> = {
  find: FindScreen,
  derive: DeriveScreen,
  changes: ChangesScreen,
  hosts: HostsScreen,
  archives: ArchivesScreen,
  explain: ExplainScreen,
  process: ProcessScreen,
  processes: ProcessesScreen,
};
