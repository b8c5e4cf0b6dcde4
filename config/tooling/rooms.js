import { readdirSync } from 'node:fs';

/**
 * The rooms of src/ and what each may import: the single statement of the import order.
 * Read by eslint.config.js (no-restricted-imports) and by test/import-order.test.ts.
 * `sources/pmcd`, `sources/archive` and `sources/linux` never import one another; the first two share `sources/wire`.
 */
export const rooms = [
  { room: 'kit', mayImport: [] },
  { room: 'pmapi', mayImport: [] },
  { room: 'config', mayImport: [] },
  // What openapi.yaml describes has its generated types, which the client publishes; types only, in these rooms and in http.
  { room: 'derived', mayImport: ['kit', 'pmapi', 'client'] },
  { room: 'sources', mayImport: ['kit', 'pmapi'] },
  { room: 'access', mayImport: ['kit', 'pmapi', 'sources'] },
  { room: 'fleet', mayImport: ['kit', 'pmapi'] },
  { room: 'context', mayImport: ['kit', 'pmapi', 'derived', 'sources', 'client'] },
  { room: 'archiving', mayImport: ['kit', 'pmapi', 'sources', 'context'] },
  { room: 'culprits', mayImport: ['kit', 'pmapi', 'sources', 'context', 'client'] },
  {
    room: 'http',
    mayImport: ['kit', 'pmapi', 'derived', 'sources', 'access', 'fleet', 'context', 'archiving', 'client'],
  },
  { room: 'client', mayImport: [] },
  // Each directory of it is a room of its own: see featureRooms.
  {
    room: 'features',
    mayImport: [
      'kit',
      'pmapi',
      'config',
      'log',
      'derived',
      'sources',
      'access',
      'context',
      'archiving',
      'culprits',
      'http',
      'client',
    ],
  },
  // The web page: bundled for browsers.
  { room: 'features/console/page', mayImport: ['client', 'kit', 'pmapi'] },
  // What reads archives in a page: bundled for browsers, too.
  { room: 'viewer', mayImport: ['kit', 'pmapi', 'derived', 'sources', 'context', 'http', 'features'] },
  { room: 'proofs', mayImport: ['client'] },
  { room: 'shell', mayImport: ['client', 'config', 'pmapi', 'proofs'] },
  { room: 'log', mayImport: ['kit', 'pmapi', 'config'] },
  // These two put the rooms together.
  {
    room: 'gateway',
    mayImport: [
      'kit',
      'pmapi',
      'config',
      'log',
      'derived',
      'fleet',
      'sources',
      'access',
      'context',
      'http',
      'features',
    ],
  },
  { room: 'cli', mayImport: ['kit', 'pmapi', 'config', 'log', 'derived', 'sources', 'client', 'http', 'gateway'] },
];

/**
 * The engine: what runs in pages, too, and so does without Node's modules and globals, by room. Directories named `node` hold what is Node's
 * own; archives are written, and streams sent, by the gateway alone.
 */
export const engine = [
  { room: 'kit' },
  { room: 'pmapi' },
  { room: 'derived' },
  { room: 'context', but: ['stream'] },
  { room: 'culprits' },
  { room: 'sources', but: ['pmcd', 'linux', 'archive/writing'] },
  { room: 'viewer' },
];

/** The files of src/ that are in no room: the program and its beginning, the library, and the version of both. */
export const outsideRooms = ['start.ts', 'compiled-code.ts', 'main.ts', 'index.ts', 'version.ts'];

/** Rooms within src/sources that must not see one another. */
export const sourceRooms = [
  { room: 'wire', mayImport: [] },
  { room: 'pmcd', mayImport: ['wire'] },
  { room: 'archive', mayImport: ['wire'] },
  { room: 'timeline', mayImport: [] },
  { room: 'linux', mayImport: [] },
];

/** The features, none of which imports another. */
export const featureRooms = readdirSync(new URL('../../src/features', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({ room: name, mayImport: [] }));

/** The budget of each room in lines of its own (.ts, .tsx and .ne, without generated files): a test fails beyond 10 % more. */
export const budgets = {
  access: 870,
  archiving: 400,
  cli: 720,
  client: 1725,
  config: 400,
  context: 9680,
  culprits: 830,
  derived: 6890,
  features: 100,
  'features/changes': 1500,
  'features/console': 10380,
  'features/diagnosis': 820,
  'features/mcp': 1250,
  'features/mmv': 1750,
  'features/push': 1010,
  'features/recorder': 1300,
  'features/search': 1465,
  'features/series': 3915,
  viewer: 640,
  fleet: 2755,
  gateway: 2950,
  http: 10610,
  kit: 650,
  log: 240,
  pmapi: 2760,
  proofs: 400,
  shell: 3200,
  sources: 1700,
  'sources/archive': 8340,
  'sources/linux': 5300,
  'sources/pmcd': 3050,
  'sources/timeline': 1700,
  'sources/wire': 850,
};
