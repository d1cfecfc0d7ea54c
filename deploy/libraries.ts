/**
 * The libraries of a release: those whose modules the build has joined into the program, those that lie beside it, and those whose files browsers
 * get. `npm run build` writes what it joined and what stays outside into `dist/libraries.json`, and what it joined into the page into
 * `dist/page-libraries.json`; the lockfile says what each needs.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Library {
  /** Its folder, such as `node_modules/express`: its name in the lockfile. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** What its package.json calls its licence. */
  readonly licence: string;
  /** The SHA-512 of its archive in Base64; null: it came in the archive of another. */
  readonly checksum: string | null;
  /** Paths of what it needs and loads. */
  readonly needs: readonly string[];
}

export interface Libraries {
  /** Their files are in the release. */
  readonly beside: readonly Library[];
  /** All, also those that were joined or compiled into others. Sorted by name, each version once. */
  readonly all: readonly Library[];
}

/** Only compiling needs them, and what it takes from them is in the result. */
const compiledIn = ['nan', 'node-addon-api'];

/** What a library names as needed and the program never loads: tools of its authors, and types. */
const neverLoaded = /^(@types\/.*|@scarf\/scarf|node-gyp|yatag)$/;

/** gdal-async asks where they are; the program puts others in their place (workers/geopackage/gdal.ts). So what they need is not loaded. */
const onlyFound = ['@mapbox/node-pre-gyp', 'xmlbuilder2'];

interface Locked {
  readonly name?: string;
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (...path: string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'));

/** @throws Error when the program was not built, or when a library is missing. */
export function librariesOf(project: string): Libraries {
  const { packages } = read(project, 'package-lock.json') as { readonly packages: Readonly<Record<string, Locked>> };
  const { inside, outside } = read(project, 'dist', 'libraries.json') as Readonly<Record<string, readonly string[]>>;
  const needed = new Needed(project, packages);
  const beside = needed.of(outside!.map((name) => `node_modules/${name}`));
  const browsers = needed.of(readdirSync(join(project, 'dist', 'vendor')).map((name) => `node_modules/${name}`));
  const joined = read(project, 'dist', 'page-libraries.json') as readonly string[];
  const compiled = beside.flatMap((path) => compiledIn.flatMap((name) => needed.find(path, name) ?? []));
  const libraryAt = (path: string): Library => {
    const { name = path.replace(/^.*node_modules\//, ''), version, license = 'unknown', integrity } = packages[path]!;
    return {
      path,
      name,
      version,
      licence: license,
      checksum: /^sha512-(\S+)$/.exec(integrity ?? '')?.[1] ?? null,
      needs: needed.by(path),
    };
  };
  const all = new Map(
    [...beside, ...inside!, ...browsers, ...joined, ...compiled]
      .map(libraryAt)
      .map((library) => [`${library.name}@${library.version}`, library]),
  );
  return {
    beside: beside.map(libraryAt),
    all: [...all.values()].sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1)),
  };
}

/** Finds what packages need, as Node.js does: in their own folder of packages first, then in those above. */
class Needed {
  readonly #project: string;
  readonly #packages: Readonly<Record<string, Locked>>;

  constructor(project: string, packages: Readonly<Record<string, Locked>>) {
    this.#project = project;
    this.#packages = packages;
  }

  /** Returns the packages and all that they need and load. @throws Error when one is missing. */
  of(paths: readonly string[]): readonly string[] {
    const found = new Set<string>();
    const add = (path: string): void => {
      if (found.has(path)) return;
      found.add(path);
      for (const needed of this.by(path)) add(needed);
    };
    for (const path of paths) add(path);
    return [...found];
  }

  /** @throws Error when one is missing. */
  by(path: string): readonly string[] {
    const entry = this.#packages[path];
    if (!entry) throw new Error(`${path} is not in package-lock.json`);
    if (onlyFound.some((name) => path.endsWith(`node_modules/${name}`))) return [];
    const names = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }).filter(
      (name) => !neverLoaded.test(name) && !compiledIn.includes(name),
    );
    return names.flatMap((name) => {
      const found = this.find(path, name);
      // Those for other systems are optional.
      if (found === null && entry.optionalDependencies?.[name] === undefined)
        throw new Error(`${path} needs ${name}, which is not in node_modules`);
      return found ?? [];
    });
  }

  /** Null: it is not installed. */
  find(from: string, name: string): string | null {
    for (let folder = from; ;) {
      const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
      if (this.#packages[path] && existsSync(join(this.#project, path))) return path;
      if (folder === '') return null;
      folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')));
    }
  }
}

const licences = read(import.meta.dirname, 'licences.json') as {
  readonly notices: Readonly<Record<string, readonly { readonly text: string; readonly notice: string }[]>>;
  readonly sameAs: Readonly<Record<string, string>>;
  readonly texts: Readonly<Record<string, string>>;
};

/** Says whether a file of a library is a licence or a notice that must be passed on. */
export const isLicence = (name: string): boolean => /^(licen[cs]e|copying|notice)|bundle\.js\.license/i.test(name);

/** Returns the text of a library's licence, with its notices. @throws Error that names a library without one. */
export function licenceOf(project: string, { path, name }: Pick<Library, 'path' | 'name'>): string {
  const folder = join(project, path);
  const files = readdirSync(folder).filter(isLicence).sort();
  const own = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  // A notice alone says nothing of the licence.
  if (files.some((file) => !/^notice|bundle/i.test(file)) && own.join('') !== '') return own.join('\n\n');
  const known = licences.notices[name];
  if (known) return known.map(({ text, notice }) => `${notice}\n\n${licences.texts[text]!}`).join('\n\n');
  const [, other] = Object.entries(licences.sameAs).find(([begin]) => name.startsWith(begin)) ?? [];
  if (other !== undefined && other !== name) return licenceOf(project, { path: `node_modules/${other}`, name: other });
  throw new Error(`${path} has no licence: find the one that its authors give, and put it into deploy/licences.json`);
}
