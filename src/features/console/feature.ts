import type { Feature } from '../feature.js';
import { consoleRoutes, readConsoleFiles } from './operations.js';

/** The web page at /console/. */
export const consolePage: Feature = {
  name: 'console',
  make: (surroundings) => {
    const files = readConsoleFiles();
    return { routes: consoleRoutes(() => (surroundings.config.console.enabled ? files : undefined)) };
  },
};
