import { eventLoopTurns } from '../../kit/index.js';
import type { Feature } from '../feature.js';
import { searchRoutes } from './operations.js';
import { SearchIndexes } from './search-indexes.js';

/** Metrics, instance domains and instances by words. */
export const search: Feature = {
  name: 'search',
  make: ({ clock }) => ({ routes: searchRoutes(new SearchIndexes({ clock, turns: eventLoopTurns })) }),
};
