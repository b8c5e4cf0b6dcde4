import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Archives } from '../../src/gateway/targets/archives.js';
import { loadConfig } from '../../src/config/index.js';
import { ContextManager } from '../../src/context/index.js';
import type { LiveMemory } from '../../src/context/range/index.js';
import { DefinitionStore } from '../../src/derived/index.js';
import { systemClock } from '../../src/pmapi/index.js';
import { Api, type FlatOptions } from './api.js';
import { ArchiveBuilder } from './archive-builder.js';
import { type MemoryGateway, TEST_CONTENT } from './memory-gateway.js';
import { type MemoryContent, MemorySource } from './memory-source.js';
import { rows } from './rows.js';

/** When the archive `built` starts, in seconds since the epoch. */
export const BUILT_START = 1_000_000;

/** The value of `test.counter` in the record of a second, counted from {@link BUILT_START}: ten more with each. */
export const counterAt = (second: number): number => 100 + 10 * second;

/** An API over archives below a temporary root; hostspecs lead to memory sources. */
export interface ArchiveApi {
  readonly api: Api;
  readonly root: string;
  stop(): Promise<void>;
}

/**
 * Serve `built`, an archive of a counter per second, a gauge with instances that come and go and a text, with a mark between
 * seconds 4 and 6; and the recorded fixtures.
 */
export async function archiveApi(options: ArchiveApiOptions = {}): Promise<ArchiveApi> {
  const { opened, given } = overArchives(options);
  const api = await Api.start(...given);
  return {
    api,
    root: opened.root,
    stop: async () => {
      await api.stop();
      await opened.close();
    },
  };
}

/** The same for all tests of a file, or of the describe() that this is called in. */
export function servedArchives(options: ArchiveApiOptions = {}): Omit<ArchiveApi, 'stop'> {
  const { opened, given } = overArchives(options);
  const api = Api.serving(...given);
  afterAll(() => opened.close());
  return { api, root: opened.root };
}

type ArchiveApiOptions = FlatOptions & {
  /** What hostspecs lead to. */
  readonly content?: MemoryContent;
  readonly definitions?: DefinitionStore;
  /** Expressions of derived metrics by their names. */
  readonly defined?: Readonly<Record<string, string>>;
  readonly memory?: LiveMemory;
};

function overArchives(options: ArchiveApiOptions) {
  const { content = TEST_CONTENT, definitions = new DefinitionStore(), defined = {}, memory, ...http } = options;
  for (const [name, expression] of Object.entries(defined)) definitions.register(name, expression);
  const opened = archiveFactory();
  const contexts = new ContextManager({
    sources: {
      open: async (spec) =>
        spec.kind === 'archive' ? opened.open(spec.archive) : new MemorySource(content, systemClock),
    },
    clock: systemClock,
    limits: { contexts: 20_000, pollTimeoutMs: 60_000, maxPollTimeoutMs: 86_400_000 },
    definitions,
    ...(memory ? { memory } : {}),
  });
  const gateway: MemoryGateway = { contexts, opened: [], sources: [] };
  return { opened, given: [gateway, { archives: opened.archives, ...http }] as const };
}

/** Archives below a temporary root. */
export interface OpenedArchives {
  readonly archives: Archives;
  readonly root: string;
  open(name: string): ReturnType<Archives['open']>;
  close(): Promise<void>;
}

/** Write the archives that {@link archiveApi} serves. */
export function archiveFactory(): OpenedArchives {
  const directory = mkdtempSync(path.join(tmpdir(), 'pmgate-archives-'));
  const root = path.join(directory, 'root');
  mkdirSync(root);
  buildArchive().write(root, 'built');
  mkdirSync(path.join(root, 'recorded'));
  const fixtures = path.resolve('test/fixtures/archives');
  for (const file of readdirSync(fixtures)) {
    if (!file.endsWith('.probe')) copyFileSync(path.join(fixtures, file), path.join(root, 'recorded', file));
  }
  const archives = new Archives(systemClock, { ...loadConfig({}).archives, roots: [root] });
  return {
    archives,
    root,
    open: (name) => archives.open({ archive: name }),
    close: async () => {
      await archives.close();
      rmSync(directory, { recursive: true });
    },
  };
}

const COUNTER = 100 * 2 ** 22 + 1;
const GAUGE = 100 * 2 ** 22 + 2;
const TEXT = 100 * 2 ** 22 + 3;
const INDOM = 100 * 2 ** 22 + 1;

/** PM_TYPE and PM_SEM numbers, and units of bytes, as LOGARCHIVE(5) writes them. */
const U64 = 3;
const DOUBLE = 5;
const STRING = 6;
const BYTES = 0x10000000;

export function buildArchive(): ArchiveBuilder {
  const builder = new ArchiveBuilder({ version: 3, start: [BUILT_START, 0], hostName: 'recorded.example' });
  builder
    .metric({ pmid: COUNTER, names: ['test.counter'], type: U64, semantics: 1, units: BYTES })
    .metric({ pmid: GAUGE, names: ['test.gauge'], type: DOUBLE, semantics: 3, indom: INDOM })
    .metric({ pmid: TEXT, names: ['test.text'], type: STRING, semantics: 4 })
    .text(5, COUNTER, 'bytes that were counted')
    .labels([BUILT_START, 0], 1, 0, [[-1, { hostname: 'recorded.example', era: 'first' }]])
    .labels([BUILT_START + 5, 0], 1, 0, [[-1, { hostname: 'recorded.example', era: 'second' }]])
    .indom([BUILT_START, 0], INDOM, rows([0, 'red'], [1, 'green']))
    .indom([BUILT_START + 6, 0], INDOM, rows([1, 'green'], [2, 'blue "and" more']))
    .indexEntry([BUILT_START, 0]);
  for (let second = 0; second < 10; second++) {
    if (second === 5) {
      builder.mark([BUILT_START + 5, 0]);
      continue;
    }
    builder.record(
      [BUILT_START + second, 0],
      [
        { pmid: COUNTER, values: [[-1, BigInt(counterAt(second))]] },
        {
          pmid: GAUGE,
          values: second < 6 ? rows([0, second], [1, second / 2]) : rows([1, second / 2], [2, second * 2]),
        },
        ...(second % 3 === 0 ? [{ pmid: TEXT, values: [[-1, `text, "${second}"`]] as const }] : []),
      ],
    );
  }
  return builder.indexEntry([BUILT_START + 9, 0]);
}
