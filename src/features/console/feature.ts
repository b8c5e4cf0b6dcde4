import type { Feature } from '../feature.js';
import { consoleRoutes, readConsoleFiles } from './operations.js';

/** The web page at /console/. */
export const consolePage: Feature = {
  name: 'console',
  make: ({ config }) => {
    const files = config.console.enabled ? readConsoleFiles() : undefined;
    return { routes: consoleRoutes(files) };
  },
};
