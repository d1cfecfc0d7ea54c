/**
 * The GDAL binding, one private copy per thread.
 *
 * gdal-async is not context-aware: a second thread that loads the same file (by inode, so links do not help) gets
 * "Module did not self-register". So each thread loads a real copy. Three rules make that safe; crashes showed that
 * each is necessary (docs/decisions/0002): the copy stays mapped after the thread ends, threads load one after another,
 * and the thread that made a Buffer frees its memory.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import Module from 'node:module';
import { createRequire } from 'node:module';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type Gdal from 'gdal-async';
import { messageOf } from '../../src/words.ts';
import { underLoadLock } from './load-lock.ts';

/**
 * Settings under which GDAL opens no connection (docs/decisions/0073). GDAL 3.6 has no switch for its network: curl refuses this
 * proxy's scheme before it resolves a name or opens a socket. `CPL_VSIL_CURL_ALLOWED_FILENAME` does the same for `/vsicurl/`.
 * The static SQL functions would let a view of a GeoPackage open any file or address.
 */
const limits = {
  GDAL_HTTP_PROXY: 'none://closed',
  GDAL_HTTPS_PROXY: 'none://closed',
  GDAL_HTTP_MAX_RETRY: '0',
  CPL_VSIL_CURL_ALLOWED_FILENAME: '/closed',
  OGR_SQLITE_STATIC_VIRTUAL_OGR: 'NO',
  // Off by default; a setting of the machine's GDAL must not turn them on.
  ALLOW_OGR_SQL_FUNCTIONS_FROM_TRIGGER_AND_VIEW: 'NO',
  SHAPE_RESTORE_SHX: 'NO',
} as const;

/**
 * glibc's flag, which `os.constants` lacks. V8 frees GDAL objects after it has closed the library; without the flag it
 * would jump into unmapped code.
 */
const RTLD_NODELETE = 0x1000;

/** SQLite maps at most 2 GiB per connection and reads the rest with `pread`. */
const MMAP_BYTES = 0x7fff0000;

/**
 * Applies to the whole process. `toWKB()` returns Buffers with a free callback. When V8's helper thread frees one while
 * its own thread ends, Node uses it after it was freed (`CallbackInfo::Clean` against `OnBackingStoreFree`).
 */
setFlagsFromString('--no-concurrent-array-buffer-sweeping');

type Loader = (module: object, file: string) => void;

const extensions = (Module as unknown as { _extensions: Record<'.node', Loader> })._extensions;

export const gdal: typeof Gdal = underLoadLock(loadPrivateCopy);

function loadPrivateCopy(): typeof Gdal {
  const original = extensions['.node'];
  extensions['.node'] = openCopy;
  try {
    const require = createRequire(import.meta.url);
    nameBinding(require);
    leaveOutXml(require);
    const binding = require('gdal-async') as typeof Gdal;
    limitGdal(binding);
    mapAtMost(binding, MMAP_BYTES);
    // The first use of a reference system opens PROJ's database, which is part of the initialisation that must not be
    // concurrent.
    binding.SpatialReference.fromEPSG(3161);
    return binding;
  } finally {
    extensions['.node'] = original;
  }
}

/**
 * Says where the binding is, in place of node-pre-gyp: loading that, with all that it needs to install packages, takes a fifth of the
 * processor time of a thread's start. The place is the one in gdal-async's package.json, where deploy/build-gdal puts it.
 */
function nameBinding(require: NodeJS.Require): void {
  const main = require.resolve('gdal-async');
  const platform = `node-v${process.versions.modules}-${process.platform}-${process.arch}`;
  const binding = join(dirname(main), 'binding', platform, 'gdal.node');
  standIn(main, '@mapbox/node-pre-gyp', { find: () => binding });
}

/** A writer of XML, for virtual raster files alone, which nothing here writes: loading it takes another fifth. */
function leaveOutXml(require: NodeJS.Require): void {
  standIn(require.resolve('gdal-async'), 'xmlbuilder2', {});
}

/** Lets the module in `file` get `exports` for the package `name`. */
function standIn(file: string, name: string, exports: object): void {
  const require = createRequire(file);
  const place = require.resolve(name);
  const stand = new Module(place);
  Object.assign(stand, { exports, loaded: true });
  require.cache[place] = stand;
}

/**
 * Runs `work`, which opens GeoPackages without mapping them. Use it for passes over a whole file: if mapped, the whole
 * file would count as the process's memory (2.5 GB for 3.6 million wetlands). Use it only where no lookups run, because
 * the setting is for the whole process.
 */
export function withoutMapping<T>(work: () => T): T {
  mapAtMost(gdal, 0);
  try {
    return work();
  } finally {
    mapAtMost(gdal, MMAP_BYTES);
  }
}

/** Sets the limit for the whole process with a shared GDAL; it applies to files that are opened later. */
function mapAtMost({ config }: typeof Gdal, bytes: number): void {
  config.set('OGR_SQLITE_PRAGMA', `mmap_size=${bytes}`);
}

/** Returns the path of a GeoPackage that is to be opened with `IMMUTABLE`. @throws Error for one that GDAL takes for the path of another file. */
export function immutablePath(file: string): string {
  const [escape] = /%[\da-f]{2}/i.exec(file) ?? [];
  if (escape === undefined) return file;
  throw new Error(`${file} has "${escape}" in its path, which GDAL reads as one letter: rename it`);
}

/** @throws Error that says what it needs: many a machine lets nobody run programs from /tmp, or has it full. */
function openCopy(module: object, file: string): void {
  let folder: string | null = null;
  try {
    folder = mkdtempSync(join(tmpdir(), 'land-lookup-gdal-'));
    const copy = join(folder, 'gdal.node');
    copyFileSync(file, copy);
    process.dlopen(module, copy, constants.dlopen.RTLD_LAZY | RTLD_NODELETE);
  } catch (cause) {
    const needs =
      'it needs 3 MB there for each thread, which may be written and run (no "noexec"), and the library of GDAL; TMPDIR names another folder';
    const fault = `GDAL cannot be loaded from a copy in ${tmpdir()} (${messageOf(cause)}): ${needs}`;
    // As Node.js does when a thread cannot start.
    throw Object.assign(new Error(fault, { cause }), { code: 'ERR_WORKER_INIT_FAILED' });
  } finally {
    // The mapping stays after the file is deleted.
    if (folder !== null) rmSync(folder, { recursive: true });
  }
}

/** Closes GDAL's ways to the network, for the whole process with a shared GDAL. */
function limitGdal({ config }: Pick<typeof Gdal, 'config'>): void {
  for (const [name, value] of Object.entries(limits)) config.set(name, value);
}
