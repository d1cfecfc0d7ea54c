/**
 * Who may import whom, for dependency-cruiser (`npm run lint` checks it, `npm run draw-imports` draws it). Each list goes from top to
 * bottom: a folder may import those below it, never one above. docs/architecture.md explains the folders.
 */
const folders = {
  src: [
    'main.ts',
    'write-validators.ts',
    'build-static.ts',
    'bundle-pages.ts',
    'bundle-program.ts',
    'commands',
    'service.ts',
    'open-services.ts',
    'config.ts',
    'features.ts',
    'features',
    'feature.ts',
    'http',
    'openapi',
    'admin',
    'geocoders',
    'accounts',
    'pool',
    'terminal',
    'rows',
    'download',
    'jobs.ts',
    'snapshots',
    'outbound',
    'catalogue',
    'systemd.ts',
    'background',
    'logger.ts',
    'source-lines.ts',
    'validators.ts',
    'settings',
    'project.ts',
    'stores',
    'files',
    'opened.ts',
    'parts.ts',
    'events.ts',
    'redis-url.ts',
    'networks.ts',
    'shared',
  ],
  workers: ['threads', 'journal', 'import', 'verify', 'lookup', 'geopackage', 'geometry'],
};

const upwards = Object.entries(folders).flatMap(([side, names]) =>
  names.slice(1).map((name, i) => ({
    name: `${side}/${name} imports only what is below it`,
    severity: 'error',
    from: { path: `^${side}/${name}(/|$)` },
    to: { path: `^${side}/(${names.slice(0, i + 1).join('|')})(/|$)` },
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
        pathNot: [`^src/(${folders.src.join('|')})(/|$)`, `^workers/(${folders.workers.join('|')})/`],
      },
      to: {},
    },
    {
      name: 'workers import of src only src/shared',
      severity: 'error',
      from: { path: '^workers/' },
      to: { path: '^src/', pathNot: '^src/shared/' },
    },
    {
      name: 'src reaches workers only through the pool',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^workers/' },
    },
    {
      name: 'src/shared opens nothing',
      severity: 'error',
      comment: 'It holds types, schemas and pure functions: no file, no socket, no clock.',
      from: { path: '^src/shared/' },
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
      from: { path: ['^workers/', '^src/shared/(addresses|contract)/'] },
      to: {
        path: '^src/shared/(schema[.]ts|wire/|catalogue/(definition|fields|sources)[.]ts|catalogue/kinds/)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'only src/features.ts names features',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/features(/|[.]ts)' },
      to: { path: '^src/features/' },
    },
    {
      name: 'no feature imports another',
      severity: 'error',
      comment: 'They tell each other what happened by events (src/events.ts).',
      from: { path: '^src/features/([^/]+)/' },
      to: { path: '^src/features/', pathNot: '^src/features/$1/' },
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
