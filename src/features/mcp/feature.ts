import { isLoopback } from '../../http/index.js';
import type { Feature } from '../feature.js';
import { mcpRoutes } from './operations.js';

/** The interface for assistants, by the Model Context Protocol. */
export const mcp: Feature = {
  name: 'mcp',
  make: (surroundings) => {
    const isEnabled = (): boolean => {
      const { mcp, listen } = surroundings.config;
      return mcp.enabled ?? (listen.host === 'localhost' || isLoopback(listen.host));
    };
    const isSecure = (): boolean => surroundings.config.listen.certificateFile !== null;
    return { routes: mcpRoutes({ isEnabled, isSecure, clock: surroundings.clock }) };
  },
};
