/**
 * Who may import whom, for dependency-cruiser (`npm run lint` checks it, `npm run draw-imports` draws it). Each list goes from top to
 * bottom: a folder may import those below it, never one above. docs/architecture.md explains the folders.
 */
const folders = {
  src: [
    'main.ts',
    'build',
    'commands',
    'service.ts',
    'config.ts',
    'features.ts',
    'features',
    'feature.ts',
    'import',
    'core',
    'addresses',
    'messages',
    'catalogue',
    'project',
    'schema.ts',
    'words.ts',
  ],
  'src/core': [
    'terminal',
    'http',
    'admin',
    'open-accounts.ts',
    'units',
    'lookup',
    'billing',
    'usage',
    'limits',
    'pool',
    'outbound',
    'keys',
    'stores',
    'snapshots',
    'loop',
    'openapi',
    'layers',
    'parts',
    'settings',
    'files',
  ],
  workers: [
    'threads',
    'journal',
    'import',
    'verify',
    '(areas|maps|rules|suggest|coverage|explain)',
    'engine',
    'geopackage',
    'geometry',
  ],
  'workers/engine': ['answers', 'served-snapshot.ts', 'feature.ts', 'kinds', 'views', 'cells', 'gazetteer'],
};

const upwards = Object.entries(folders).flatMap(([above, names]) =>
  names.slice(1).map((name, i) => ({
    name: `${above}/${name} imports only what is below it`,
    severity: 'error',
    from: { path: `^${above}/${name}(/|$)` },
    to: { path: `^${above}/(${names.slice(0, i + 1).join('|')})(/|$)` },
  })),
);

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...upwards,
    {
      name: 'every folder has its place in the order',
      severity: 'error',
      from: {
        path: '^(src|workers)/',
        pathNot: [
          `^src/(${folders.src.filter((name) => name !== 'core').join('|')})(/|$)`,
          `^src/core/(${folders['src/core'].join('|')})(/|$)`,
          `^workers/(${folders.workers.filter((name) => name !== 'engine').join('|')})/`,
          `^workers/engine/(${folders['workers/engine'].join('|')})(/|$)`,
        ],
      },
      to: {},
    },
    {
      name: 'workers import of src only addresses, catalogue and messages',
      severity: 'error',
      from: { path: '^workers/' },
      to: { path: '^src/', pathNot: '^src/(addresses/|catalogue/|messages/|features/[^/]+/messages/|words[.]ts$)' },
    },
    {
      name: 'of features, a thread knows the messages of its own alone',
      severity: 'error',
      from: { path: '^workers/([^/]+)/' },
      to: { path: '^src/features/', pathNot: '^src/features/$1/' },
    },
    {
      name: 'src reaches workers only through the pool',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^workers/' },
    },
    {
      name: 'what workers and src share opens nothing',
      severity: 'error',
      comment: 'It holds types, schemas and pure functions: no file, no socket, no clock.',
      from: {
        path: '^src/(addresses/|catalogue/|messages/|features/[^/]+/messages/|schema[.]ts$|words[.]ts$)',
        pathNot: '^src/catalogue/read/',
      },
      to: {
        dependencyTypes: ['core', 'npm'],
        dependencyTypesNot: ['type-only'],
        pathNot: '^(path$|node_modules/typebox/)',
      },
    },
    {
      name: 'threads load no schemas',
      severity: 'error',
      comment: 'They need the types only: building the schemas would cost each thread time and memory.',
      from: { path: ['^workers/', '^src/(addresses/|messages/[^/]+$)'] },
      to: {
        path: '^src/(schema[.]ts|messages/wire/|features/[^/]+/messages/wire[.]ts|catalogue/(definition|fields|sources)[.]ts|catalogue/(kinds|read)/)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'only src/features.ts names features',
      severity: 'error',
      comment: 'So does the build, which compiles what a schema of rules asks.',
      from: { path: '^src/', pathNot: '^src/(features(/|[.]ts)|build/)' },
      to: { path: '^src/features/' },
    },
    {
      name: 'no feature imports another',
      severity: 'error',
      comment:
        'They tell each other what happened by events (src/core/parts/parts.ts). What one has for others, as what reads an area, the core carries.',
      from: { path: '^src/features/([^/]+)/' },
      to: { path: '^src/features/', pathNot: '^src/features/$1/' },
    },
    {
      name: 'the thread of lookups knows features only from workers/threads/features.ts',
      severity: 'error',
      from: { path: '^workers/threads/lookup[.]ts$' },
      to: { path: '^workers/(areas|maps|rules|suggest|coverage|explain)/' },
    },
    {
      name: 'no feature of a thread imports another',
      severity: 'error',
      comment: 'They meet in what the engine carries (workers/engine/feature.ts).',
      from: { path: '^workers/(areas|maps|rules|suggest|coverage|explain)/' },
      to: { path: '^workers/(areas|maps|rules|suggest|coverage|explain)/', pathNot: '^workers/$1/' },
    },
    { name: 'no circles', severity: 'error', from: { path: '^(src|workers)/' }, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: `${import.meta.dirname}/tsconfig.json` },
    enhancedResolveOptions: { extensions: ['.ts', '.js'] },
  },
};
