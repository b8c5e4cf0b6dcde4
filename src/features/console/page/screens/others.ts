/** The screens that the first one does not need: a script of their own, loaded when one of them is opened. */
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
