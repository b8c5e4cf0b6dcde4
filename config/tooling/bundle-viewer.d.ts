/** Bundles src/viewer/worker.ts for browsers: the script. Throws for what is Node's. `tellInputs` gets what is in it. */
export function bundleWorker(tellInputs?: (inputs: string[]) => void): Promise<string>;
