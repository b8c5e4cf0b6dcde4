import { isLoopback } from '../../http/index.js';
import type { Feature } from '../feature.js';
import { mcpRoutes } from './operations.js';

/** The interface for assistants, by the Model Context Protocol. */
export const mcp: Feature = {
  name: 'mcp',
  make: (surroundings) => {
    const { listen } = surroundings.config;
    const isWanted = (): boolean =>
      surroundings.config.mcp.enabled ?? (listen.host === 'localhost' || isLoopback(listen.host));
    return { routes: mcpRoutes(isWanted, listen.certificateFile !== null, surroundings.clock) };
  },
};
