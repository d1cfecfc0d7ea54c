/**
 * The GDAL binding, one private copy a thread.
 *
 * gdal-async is not context-aware: a second thread that loads the same file (by inode, so links do not help) gets "Module
 * did not self-register". So each thread loads a real copy. Three rules make that safe, all found by crashing
 * (docs/decisions/0002): the copy stays mapped after the thread ends, threads load one after another, and the memory of
 * Buffers is freed by the thread that made them.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type Gdal from 'gdal-async';
import { underLoadLock } from './load-lock.ts';

/** glibc's flag, not in `os.constants`: V8 frees GDAL objects after it has closed the library, into unmapped code without it. */
const RTLD_NODELETE = 0x1000;

/** SQLite caps it at 2 GiB a connection; what lies beyond is read by `pread`. */
const MMAP_BYTES = 0x7fff0000;

/**
 * Process-wide. `toWKB()` gives Buffers with a free callback; when V8's helper thread frees one while its own thread ends, Node
 * uses it after it was freed (`CallbackInfo::Clean` against `OnBackingStoreFree`).
 */
setFlagsFromString('--no-concurrent-array-buffer-sweeping');

type Loader = (module: object, file: string) => void;

const extensions = (Module as unknown as { _extensions: Record<'.node', Loader> })._extensions;

export const gdal: typeof Gdal = underLoadLock(loadPrivateCopy);

function loadPrivateCopy(): typeof Gdal {
  const original = extensions['.node'];
  extensions['.node'] = openCopy;
  try {
    const binding = createRequire(import.meta.url)('gdal-async') as typeof Gdal;
    mapAtMost(binding, MMAP_BYTES);
    // The first use of a reference system opens PROJ's database: part of the initialisation that must not be concurrent.
    binding.SpatialReference.fromEPSG(3161);
    return binding;
  } finally {
    extensions['.node'] = original;
  }
}

/**
 * Runs `work`, which opens GeoPackages to be read through a buffer and not mapped. For passes over a whole file: mapped, all of it would count as the
 * process's memory (2.5 GB for 3.6 million wetlands). Only where no lookups run, because the setting is the process's.
 */
export function withoutMapping<T>(work: () => T): T {
  mapAtMost(gdal, 0);
  try {
    return work();
  } finally {
    mapAtMost(gdal, MMAP_BYTES);
  }
}

/** Process-wide in a shared GDAL; counts for files that are opened afterwards. */
function mapAtMost({ config }: typeof Gdal, bytes: number): void {
  config.set('OGR_SQLITE_PRAGMA', `mmap_size=${bytes}`);
}

function openCopy(module: object, file: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'land-lookup-gdal-'));
  try {
    const copy = join(folder, 'gdal.node');
    copyFileSync(file, copy);
    process.dlopen(module, copy, constants.dlopen.RTLD_LAZY | RTLD_NODELETE);
  } finally {
    // The mapping survives the file.
    rmSync(folder, { recursive: true });
  }
}
