import type { Plugin } from 'esbuild';

/** Drops modules of Node from a bundle for browsers. */
export const withoutNode: Plugin;

/** Bundle src/features/console/page for browsers: the files by name, each compressed as well (.br, .gz). `tellInputs` gets what is in them. */
export function bundleConsole(tellInputs?: (inputs: string[]) => void): Promise<Map<string, Uint8Array>>;
