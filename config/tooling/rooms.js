/**
 * The rooms of src/ and what each may import: the single statement of the import order.
 * Read by eslint.config.js (no-restricted-imports) and by test/import-order.test.ts.
 * `sources/pmcd`, `sources/archive`, `sources/linux` and `sources/mmv` never import one another; the first two share `sources/wire`.
 */
export const rooms = [
  { room: 'kit', mayImport: [] },
  { room: 'pmapi', mayImport: [] },
  { room: 'config', mayImport: [] },
  { room: 'derived', mayImport: ['kit', 'pmapi'] },
  { room: 'sources', mayImport: ['kit', 'pmapi'] },
  { room: 'access', mayImport: ['kit', 'pmapi', 'sources'] },
  { room: 'fleet', mayImport: ['kit', 'pmapi'] },
  // search knows a context by the shape it has: see src/features/search/searchable.ts.
  { room: 'search', mayImport: ['kit', 'pmapi'] },
  { room: 'context', mayImport: ['kit', 'pmapi', 'derived', 'sources'] },
  { room: 'changes', mayImport: ['kit', 'pmapi', 'context'] },
  { room: 'series', mayImport: ['kit', 'pmapi', 'derived', 'sources'] },
  { room: 'push', mayImport: ['kit', 'pmapi', 'sources'] },
  { room: 'recorder', mayImport: ['kit', 'pmapi', 'sources', 'context'] },
  // http takes the generated types of openapi.yaml from the client, which is what publishes them; types only.
  {
    room: 'http',
    mayImport: [
      'kit',
      'pmapi',
      'derived',
      'sources',
      'access',
      'search',
      'fleet',
      'context',
      'changes',
      'series',
      'recorder',
      'client',
    ],
  },
  { room: 'client', mayImport: [] },
  // The web page: bundled for browsers, so no room imports it.
  { room: 'console', mayImport: ['client', 'pmapi'] },
  { room: 'shell', mayImport: ['client', 'config', 'pmapi'] },
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
      'search',
      'context',
      'series',
      'recorder',
      'push',
      'http',
    ],
  },
  { room: 'cli', mayImport: ['kit', 'pmapi', 'config', 'log', 'derived', 'http', 'gateway'] },
];

/** The files of src/ that are in no room: the program, the library, and the version of both. */
export const outsideRooms = ['main.ts', 'index.ts', 'version.ts'];

/** Rooms within src/sources that must not see one another. */
export const sourceRooms = [
  { room: 'wire', mayImport: [] },
  { room: 'pmcd', mayImport: ['wire'] },
  { room: 'archive', mayImport: ['wire'] },
  { room: 'timeline', mayImport: [] },
  { room: 'linux', mayImport: [] },
  { room: 'mmv', mayImport: [] },
];
