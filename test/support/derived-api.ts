import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DerivedRegistry } from '../../src/gateway/derived-registry.js';
import { Api } from './api.js';
import { memoryGateway } from './memory-gateway.js';
import type { MemoryContent } from './memory-source.js';

/** What a test may choose of {@link DerivedApi}. */
export interface DerivedApiOptions {
  readonly allowMutation?: boolean;
  readonly content?: MemoryContent;
  readonly files?: readonly string[];
  /** A directory of an earlier gateway, to start with what that one kept. */
  readonly directory?: string;
}

/** Global derived metrics that are kept in a directory; without those that ship. */
export function openRegistry(
  directory: string,
  options: Partial<Parameters<typeof DerivedRegistry.open>[0]> = {},
): Promise<DerivedRegistry> {
  return DerivedRegistry.open({
    shippedDirectory: undefined,
    files: [],
    stateFile: path.join(directory, 'derived.json'),
    allowMutation: true,
    complain: () => undefined,
    ...options,
  });
}

/** A gateway over memory sources whose global derived metrics are kept in a file, as the product's are. */
export class DerivedApi {
  readonly api: Api;
  readonly registry: DerivedRegistry;
  /** Holds `state/derived.json`. */
  readonly directory: string;

  private constructor(api: Api, registry: DerivedRegistry, directory: string) {
    this.api = api;
    this.registry = registry;
    this.directory = directory;
  }

  static async start(options: DerivedApiOptions = {}): Promise<DerivedApi> {
    const directory = options.directory ?? (await mkdtemp(path.join(tmpdir(), 'pmgate-derived-')));
    const { content, files = [], allowMutation = true } = options;
    const registry = await openRegistry(path.join(directory, 'state'), { files, allowMutation });
    const gateway = memoryGateway({
      definitions: registry.store,
      limits: { contexts: 5000 },
      ...(content && { content }),
    });
    return new DerivedApi(await Api.start(gateway, { derived: registry }), registry, directory);
  }

  async restart(): Promise<DerivedApi> {
    await this.api.stop();
    return DerivedApi.start({ directory: this.directory });
  }

  async stop(): Promise<void> {
    await this.api.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}
