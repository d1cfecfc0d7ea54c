/**
 * Puts the libraries of a release into its folder: those that lie beside the program, without what they never load, the licences of all of them, and a
 * list of them for programs that know of faults (CycloneDX, https://cyclonedx.org). deploy/fill-release runs it.
 * Arguments: the folder, the version of the release, the seconds since 1970 that it is dated with.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { isLicence, librariesOf, licenceOf, type Library } from './libraries.ts';

const project = join(import.meta.dirname, '..');
const [target = '', version = '', seconds = ''] = process.argv.slice(2);

/** Of native modules, which come with their sources and with programs for other systems. */
const partsOfNative: Readonly<Record<string, readonly string[]>> = {
  'gdal-async': ['lib'],
  'better-sqlite3': ['lib', join('prebuilds', `${process.platform}-${process.arch}.node`)],
};

/** gdal-async refuses to start without these folders. It reads nothing of them: the system's GDAL and PROJ have their own. */
const foldersOfData = ['libgdal/gdal/data', 'libgdal/gdal/frmts/grib/data', 'libproj/proj/data'];

/** Of the folder of a library, and of any folder: a library may well load modules from one named `scripts` among its own. */
const unusedAtTop = /^(bin|coverage|docs?|man|scripts|specs?)$/i;
const unusedFolders = /^(\..*|__tests__|bench|benchmarks?|examples?|node_modules|tests?)$/i;
const unusedFiles = /^\.|musl.*\.node$|\.(md|markdown|ts|cts|mts|map|gyp|gypi|c|cc|cpp|h|hpp|tgz|tsbuildinfo)$/i;

/** Copies what a program may load, and licences. */
function copyFolder(from: string, to: string, isWanted: (path: string) => boolean, inner = ''): void {
  for (const entry of readdirSync(join(from, inner), { withFileTypes: true })) {
    const path = join(inner, entry.name);
    const isUnused = unusedFolders.test(entry.name) || (inner === '' && unusedAtTop.test(entry.name));
    if (entry.isDirectory() && !isUnused) copyFolder(from, to, isWanted, path);
    if (!entry.isFile() || !isWanted(path) || (unusedFiles.test(entry.name) && !isLicence(entry.name))) continue;
    mkdirSync(dirname(join(to, path)), { recursive: true });
    copyFileSync(join(from, path), join(to, path));
  }
}

function copyLibrary({ path, name }: Library): void {
  const parts = partsOfNative[name];
  const isWanted = (file: string): boolean =>
    parts === undefined ||
    file === 'package.json' ||
    isLicence(file) ||
    parts.some((part) => file === part || file.startsWith(`${part}/`));
  copyFolder(join(project, path), join(target, path), isWanted);
  if (name !== 'gdal-async') return;
  for (const folder of foldersOfData) mkdirSync(join(target, path, 'deps', folder), { recursive: true });
}

/** Each licence once, with the libraries that have it. */
function licencesOf(libraries: readonly Library[]): string {
  const names = new Map<string, string[]>();
  for (const library of libraries) {
    const text = licenceOf(project, library);
    const name = `${library.name} ${library.version} (${library.licence})`;
    names.set(text, [...(names.get(text) ?? []), name]);
  }
  const line = '-'.repeat(80);
  const parts = [...names].map(([text, having]) => `${line}\n${having.join('\n')}\n${line}\n\n${text}\n`);
  return `land-lookup has these libraries in it. LICENSE.nodejs beside this file has the licence of Node.js.\n\n${parts.join('\n')}`;
}

interface Component {
  readonly 'bom-ref': string;
  readonly [member: string]: unknown;
}

/** A library as CycloneDX 1.5 has it. */
function componentOf({ name, version: of, licence, checksum }: Library): Component {
  const hash = (base64: string) => ({ alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') });
  return {
    ...{ 'bom-ref': `${name}@${of}`, type: 'library', name, version: of },
    purl: `pkg:npm/${name.replace('@', '%40')}@${of}`,
    ...(checksum === null ? {} : { hashes: [hash(checksum)] }),
    licenses: [/ /.test(licence) ? { expression: licence } : { license: { id: licence } }],
  };
}

/** Node.js, and the SQLite that better-sqlite3 has compiled in, as the lists of known faults name them. */
function foreignComponents(): readonly Component[] {
  const Database = createRequire(import.meta.url)('better-sqlite3') as new (file: string) => {
    prepare(sql: string): { pluck(): { get(): string } };
  };
  const sqlite = new Database(':memory:').prepare('SELECT sqlite_version()').pluck().get();
  const component = (name: string, of: string, cpe: string): Component => ({
    ...{ 'bom-ref': `${name}@${of}`, type: 'library', name, version: of },
    ...{ purl: `pkg:generic/${name}@${of}`, cpe: `cpe:2.3:a:${cpe}:${of}:*:*:*:*:*:*:*` },
  });
  return [component('node', process.versions.node, 'nodejs:node.js'), component('sqlite', sqlite, 'sqlite:sqlite')];
}

/**
 * The list of what is in the release, as CycloneDX 1.5. The same release gives the same bytes. `npm sbom --omit=dev` (npm 11) leaves out what both the
 * program and its tests need, and without the option it refuses a lockfile of tools for tests that name the range "latest".
 */
function billOfMaterials(libraries: readonly Library[]): string {
  const components = [...libraries.map(componentOf), ...foreignComponents()];
  const refs = new Map(libraries.map((library) => [library.path, `${library.name}@${library.version}`]));
  const self = `land-lookup@${version}`;
  const dependencies = libraries.map((library) => ({
    ref: `${library.name}@${library.version}`,
    dependsOn: library.needs.flatMap((path) => refs.get(path) ?? []).sort(),
  }));
  const bom = {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 },
    metadata: {
      timestamp: new Date(Number(seconds) * 1000).toISOString(),
      component: {
        ...{ 'bom-ref': self, type: 'application', name: 'land-lookup', version },
        purl: `pkg:generic/land-lookup@${encodeURIComponent(version)}`,
      },
    },
    components,
    dependencies: [{ ref: self, dependsOn: components.map((one) => one['bom-ref']) }, ...dependencies],
  };
  return `${JSON.stringify({ ...bom, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(bom))}` }, null, 1)}\n`;
}

/** A UUID that a text decides (RFC 9562, version 8). */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

if (!/^\d+$/.test(seconds)) throw new Error(`${basename(import.meta.filename)} FOLDER VERSION SECONDS`);
const { beside, all } = librariesOf(project);
for (const library of beside) copyLibrary(library);
writeFileSync(join(target, 'THIRD-PARTY-LICENCES'), licencesOf(all));
writeFileSync(join(target, 'land-lookup.cdx.json'), billOfMaterials(all));
