import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { JOURNAL, KEYS } from '../../core/units/backup-folder.ts';
import { readJobs } from '../../core/snapshots/jobs.ts';
import { needsRegister } from '../../core/settings/config.ts';
import type { SnapshotManifest } from '../../messages/manifest.ts';
import { DAY_MS, HOUR_MS } from '../../messages/time.ts';
import { messageOf } from '../../words.ts';
import { currentSnapshot, listSnapshots, missingAddresses, missingLayers } from '../../core/snapshots/current.ts';
import { fault, good, warning, type Check, type Finding, type Installation } from './installation.ts';

/** As the alerts of deploy/monitoring/alerts.yml have it. */
const OLD_MS = 45 * DAY_MS;
const FOLLOWED_MS = 6 * HOUR_MS;

const IMPORT = 'sudo land-lookup load-layers, then: sudo land-lookup load-addresses --from FILE';

/** The snapshot in service, and how old its parts are. */
export const dataCheck: Check = {
  name: 'data',
  run: (installation) => {
    const { at, dataDir } = installation;
    try {
      const snapshot = currentSnapshot(at(dataDir));
      if (snapshot === null) return [fault(`there is no snapshot in ${dataDir}`, IMPORT)];
      const { manifest, id, dir } = snapshot;
      const found = [
        ...usable(installation, manifest, join(dir, 'land.gpkg')),
        ...age(installation, manifest),
        ...unreadable(installation),
      ];
      if (found.length > 0) return found;
      return [good(`${id} has ${Object.keys(manifest.dataSets).length} data sets, none failed to refresh`)];
    } catch (cause) {
      return [fault(messageOf(cause), 'sudo land-lookup snapshot list, then: sudo land-lookup snapshot use SNAPSHOT')];
    }
  },
};

function usable({ config }: Installation, manifest: SnapshotManifest, file: string): Finding[] {
  const layers = missingLayers(manifest);
  const addresses =
    config.geocoders && needsRegister({ geocoders: config.geocoders }) ? missingAddresses(manifest) : null;
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  const other = 'sudo land-lookup snapshot list, then: sudo land-lookup snapshot use SNAPSHOT';
  return [
    ...(layers === null ? [] : [fault(`the snapshot in service ${layers}`, 'sudo land-lookup load-layers')]),
    ...(addresses === null
      ? []
      : [fault(`the snapshot in service ${addresses}`, 'sudo land-lookup load-addresses --from FILE')]),
    ...(bytes === manifest.checksum.bytes
      ? []
      : [
          fault(
            `the file of the snapshot in service has ${bytes ?? 'no'} bytes, and not ${manifest.checksum.bytes}`,
            other,
          ),
        ]),
    ...(manifest.sample ? [warning('the bundled sample is in service, and its answers are invented', IMPORT)] : []),
  ];
}

function age({ nowMs, at, dataDir, enabled }: Installation, { createdAt, dataSets }: SnapshotManifest): Finding[] {
  const days = Math.floor((nowMs - Date.parse(createdAt)) / DAY_MS);
  const failed = Object.entries(dataSets).flatMap(([id, { refreshFailed }]) =>
    refreshFailed ? [{ id, ...refreshFailed }] : [],
  );
  const follows = enabled.includes('land-lookup-follow.timer');
  const pulledAt = readJobs(at(dataDir)).find(({ job }) => job === 'follow')!.succeededAt;
  return [
    ...(nowMs - Date.parse(createdAt) > OLD_MS && !follows
      ? [
          warning(
            `the snapshot in service is ${days} days old: the monthly refresh does not work`,
            'journalctl -u land-lookup-refresh -n 50; sudo systemctl start land-lookup-refresh',
          ),
        ]
      : []),
    ...failed.map(({ id, since, reason }) =>
      warning(
        `${id} could not be refreshed since ${since}: ${reason}`,
        `sudo land-lookup load-layers --check --only ${id}`,
      ),
    ),
    ...(follows && pulledAt !== null && nowMs - Date.parse(pulledAt) > FOLLOWED_MS
      ? [
          warning(
            `the machine last had the snapshot of the place that it follows at ${pulledAt}`,
            'journalctl -u land-lookup-follow -n 20; sudo systemctl start land-lookup-follow',
          ),
        ]
      : []),
  ];
}

function unreadable({ at, dataDir }: Installation): Finding[] {
  return listSnapshots(at(dataDir)).flatMap((one) =>
    'fault' in one
      ? [
          warning(
            `the snapshot ${one.id} cannot be served: ${one.fault}`,
            `sudo rm -r ${join(dataDir, 'snapshots', one.id)}`,
          ),
        ]
      : [],
  );
}

/** The stores are SQLite files. Opening one would make files beside it, so the first bytes have to do. */
export const storesCheck: Check = {
  name: 'stores',
  run: ({ at, dataDir }) => {
    const present = [KEYS, JOURNAL, 'known-keys.sqlite'].filter((name) => existsSync(at(join(dataDir, name))));
    const damaged = present.filter((name) => !isDatabase(at(join(dataDir, name))));
    if (damaged.length === 0) return [good(present.length > 0 ? present.join(', ') : 'none yet')];
    const restore = 'sudo systemctl stop "land-lookup@*", then: sudo land-lookup restore --from BACKUP';
    return damaged.map((name) => fault(`${join(dataDir, name)} is damaged: it is no SQLite database`, restore));
  },
};

/** An empty file is a database that nothing was written into yet (https://www.sqlite.org/fileformat2.html). */
function isDatabase(file: string): boolean {
  const first = Buffer.alloc(16);
  const descriptor = openSync(file, 'r');
  try {
    return readSync(descriptor, first) === 0 || first.toString('latin1') === 'SQLite format 3\0';
  } finally {
    closeSync(descriptor);
  }
}
