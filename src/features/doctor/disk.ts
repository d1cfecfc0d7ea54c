import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { JOURNAL, KEYS } from '../../core/units/backup-folder.ts';
import { readableSnapshots } from '../../core/snapshots/current.ts';
import { grouped } from '../../words.ts';
import { fault, good, unchecked, warning, type Check, type Finding } from './installation.ts';

/** Snapshots that the refresh keeps. */
const KEPT = 3;
/** Share of the memory that all processes and imports get together (landlookup.slice). */
const MEMORY_SHARE = 0.85;
/** A process without the pages of the snapshot (docs/performance.md). */
const PROCESS_BYTES = 450e6;

const megabytes = (bytes: number): string => `${grouped(Math.ceil(bytes / 1e6))} MB`;

/** Room for what an installation keeps. */
export const diskCheck: Check = {
  name: 'disk',
  run: ({ at, dataDir, config, values, isInstalled }) => {
    const folder = at(dataDir);
    if (!existsSync(folder)) return [fault(`there is no data folder ${dataDir}`, missingRemedy(dataDir, isInstalled))];
    if (!statSync(folder).isDirectory()) return [fault(`${dataDir} is no folder`, `ls -l ${dataDir}`)];
    const readOnly = isReadOnly(folder);
    const found = [
      ...(readOnly
        ? [
            fault(
              `the disk of ${dataDir} is read-only`,
              `findmnt -T ${dataDir}; dmesg | tail; sudo mount -o remount,rw MOUNT`,
            ),
          ]
        : []),
      ...roomForData(folder, config.minFreeDiskBytes ?? 0),
      ...roomForBackup(folder, at(values['BACKUP_DIR'] ?? '/var/backups/land-lookup')),
    ];
    return found.length > 0
      ? found
      : [good(`${megabytes(freeBytes(folder))} free for ${KEPT} snapshots, an import and the journal`)];
  },
};

function missingRemedy(dataDir: string, isInstalled: boolean): string {
  return isInstalled
    ? `sudo /opt/land-lookup/current/bin/make-data-folder ${dataDir} land-lookup land-lookup-import`
    : 'correct DATA_DIR, or import: land-lookup load-layers';
}

function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EROFS';
  }
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function roomForData(folder: string, floorBytes: number): Finding[] {
  const snapshots = readableSnapshots(folder).map(({ manifest }) => manifest.checksum.bytes);
  const snapshot = Math.max(0, ...snapshots);
  const journal = sizeOf(join(folder, JOURNAL));
  const free = freeBytes(folder);
  const { files, ffree } = statfsSync(folder);
  const prune = 'sudo land-lookup snapshot prune --keep 2, or a larger disk';
  const has = `the disk of the data has ${megabytes(free)} free`;
  if (free < floorBytes)
    return [fault(`${has}, less than MIN_FREE_DISK_MB: imports stop, and lookups stop when it is full`, prune)];
  if (files > 0 && ffree < files / 100)
    return [fault('the disk of the data has room for hardly any more files', `df -i ${folder}`)];
  if (free < snapshot + floorBytes)
    return [fault(`${has}: the next import needs ${megabytes(snapshot + floorBytes)}`, prune)];
  const wanted = (Math.max(0, KEPT - snapshots.length) + 1) * snapshot + journal + floorBytes;
  return free < wanted
    ? [warning(`${has}: ${KEPT} snapshots, an import and a journal twice as long need ${megabytes(wanted)}`, prune)]
    : [];
}

function roomForBackup(folder: string, backups: string): Finding[] {
  if (!existsSync(backups)) return [];
  const needed = [JOURNAL, KEYS].reduce((sum, name) => sum + sizeOf(join(folder, name)), 0);
  const free = freeBytes(backups);
  if (free >= needed) return [];
  return [
    fault(
      `the disk of the backups has ${megabytes(free)} free, and the next one needs ${megabytes(needed)}`,
      'move older backups to another machine',
    ),
  ];
}

/** Memory for the pages of the snapshot, and swap. */
export const memoryCheck: Check = {
  name: 'memory',
  run: ({ at, dataDir, instances }) => {
    if (!existsSync(at('/proc/meminfo'))) return [unchecked('there is no /proc/meminfo')];
    const lines = readFileSync(at('/proc/meminfo'), 'utf8');
    const bytesOf = (name: string): number =>
      1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(lines)?.[1] ?? 0);
    const [total, swapped] = [bytesOf('MemTotal'), bytesOf('SwapTotal') - bytesOf('SwapFree')];
    const [newest] = readableSnapshots(at(dataDir));
    const snapshot = newest?.manifest.checksum.bytes ?? 0;
    const processes = Math.max(1, instances.length);
    const left = MEMORY_SHARE * total - processes * PROCESS_BYTES;
    const found = [
      ...(snapshot > left
        ? [
            warning(
              `the snapshot has ${megabytes(snapshot)}, and the memory has room for ${megabytes(Math.max(0, left))} of it beside ${processes} processes: lookups wait for the disk`,
              processes > 1
                ? `sudo systemctl disable --now land-lookup@${instances.at(-1)!}, or more memory`
                : 'more memory',
            ),
          ]
        : []),
      ...(swapped > total / 20
        ? [
            warning(
              `${megabytes(swapped)} are swapped out: lookups wait for the disk`,
              'grep VmSwap /proc/*/status | sort -k2n | tail, then: sudo swapoff -a && sudo swapon -a',
            ),
          ]
        : []),
    ];
    return found.length > 0 ? found : [good(`${megabytes(total)} for a snapshot of ${megabytes(snapshot)}`)];
  },
};
