import type { Feature } from '../feature.js';
import { consoleRoutes, readConsoleFiles } from './operations.js';

/** The web page at /console/. */
export const consolePage: Feature = {
  name: 'console',
  make: (surroundings) => {
    const files = readConsoleFiles();
    let isEnabled = surroundings.config.console.enabled;
    return {
      routes: consoleRoutes(() => (isEnabled ? files : undefined)),
      reload: () => {
        isEnabled = surroundings.config.console.enabled;
      },
    };
  },
};
