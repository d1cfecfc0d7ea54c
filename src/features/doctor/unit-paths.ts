import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { closedTo, hiddenFrom, stopsReading } from '../../core/units/unit-rights.ts';
import { fault, good, unchecked, type Check, type Finding } from './check.ts';
import { IMPORT_SETTINGS, SETTINGS, type Installation } from './installation.ts';

/** Paths of the settings, and what the units may see and write. */
export const unitPathsCheck: Check = {
  name: 'unit paths',
  run: (installation) => {
    if (!installation.isInstalled) return [unchecked('there are no units here')];
    const read = readPaths(installation);
    const found = [
      ...samePlaces(installation),
      ...dataFolder(installation),
      ...backupFolder(installation),
      ...read.flatMap((one) => judge(installation, one)),
    ];
    return found.length > 0 ? found : [good(`the units may use the data, the backups and ${read.length} other paths`)];
  },
};

/** Imports write and read where the service looks. */
function samePlaces({ values, importValues, unit }: Installation): Finding[] {
  const ofUnit = unit('land-lookup-refresh.service')?.words('Environment') ?? [];
  return ['DATA_DIR', 'LAYERS_DIR'].flatMap((name) => {
    const importing = importValues[name] ?? ofUnit.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
    if (values[name] === importing) return [];
    const text = `${name} is ${values[name] ?? 'not set'} for the service, and ${importing ?? 'not set'} for imports`;
    return [fault(text, `sudoedit ${SETTINGS} ${IMPORT_SETTINGS}: remove the lines ${name}`)];
  });
}

function dataFolder({ dataDir, unit }: Installation): Finding[] {
  const service = unit('land-lookup@.service');
  if (service === null || dataDir === '/var/lib/land-lookup' || closedTo(service, dataDir) === null) return [];
  return [
    fault(
      `DATA_DIR is ${dataDir}, where the service may not write`,
      `sudoedit ${SETTINGS}: remove the line DATA_DIR; for another disk: sudo mount --bind ${dataDir} /var/lib/land-lookup`,
    ),
  ];
}

const USUAL_BACKUPS = `sudoedit ${SETTINGS}, line: BACKUP_DIR=/var/backups/land-lookup`;

function backupFolder({ values, at, unit, users }: Installation): Finding[] {
  const folder = values['BACKUP_DIR'] ?? '/var/backups/land-lookup';
  const backup = unit('land-lookup-backup.service');
  if (backup === null) return [];
  if (!folder.startsWith('/')) return [fault(`BACKUP_DIR="${folder}" is no whole path`, USUAL_BACKUPS)];
  const closing = closedTo(backup, folder);
  if (closing === 'ProtectSystem') {
    return [
      fault(
        `land-lookup-backup.service may not write to BACKUP_DIR=${folder}`,
        `printf '[Service]\\nReadWritePaths=${folder}\\n' | sudo install -D -m 0644 /dev/stdin /etc/systemd/system/land-lookup-backup.service.d/paths.conf && sudo systemctl daemon-reload`,
      ),
    ];
  }
  if (closing !== null)
    return [fault(`land-lookup-backup.service does not see BACKUP_DIR=${folder} (${closing})`, USUAL_BACKUPS)];
  if (existsSync(at(folder))) {
    const owner = users.get('land-lookup')?.uid;
    return owner === undefined || statSync(at(folder)).uid === owner || (statSync(at(folder)).mode & 0o002) !== 0
      ? []
      : [
          fault(
            `the user land-lookup may not write to BACKUP_DIR=${folder}`,
            `sudo chown land-lookup:land-lookup ${folder}`,
          ),
        ];
  }
  return [
    fault(`BACKUP_DIR=${folder} does not exist`, `sudo install -d -o land-lookup -g land-lookup -m 0750 ${folder}`),
  ];
}

interface ReadPath {
  readonly setting: string;
  readonly path: string;
  readonly unit: string;
  readonly user: string;
  readonly file: string;
}

function readPaths({ values, importValues }: Installation): readonly ReadPath[] {
  const importing = { user: 'land-lookup-import', file: IMPORT_SETTINGS };
  const serving = { user: 'land-lookup', file: SETTINGS };
  const of = (setting: string, unit: string, from: typeof values, more: Pick<ReadPath, 'user' | 'file'>): ReadPath[] =>
    (from[setting] ?? '')
      .split(setting === 'RECONCILE_JOURNALS' ? /\s+/ : '\0')
      .filter((path) => path.startsWith('/'))
      .map((path) => ({ setting, path, unit: `${unit}.service`, ...more }));
  return [
    ...of('REFRESH_LAYERS_FROM', 'land-lookup-refresh', importValues, importing),
    ...of('REFRESH_ADDRESSES_FROM', 'land-lookup-refresh', importValues, importing),
    ...of('FOLLOW_FROM', 'land-lookup-follow', importValues, importing),
    ...of('BASEMAP', 'land-lookup@', values, serving),
    ...of('LAYERS_DIR', 'land-lookup@', values, serving),
    ...of('RECONCILE_JOURNALS', 'land-lookup-reconcile', values, serving),
  ];
}

function judge(
  { at, unit: unitOf, users }: Installation,
  { setting, path, unit: name, user, file }: ReadPath,
): Finding[] {
  const unit = unitOf(name);
  const hiding = unit && hiddenFrom(unit, path);
  const where = `${setting}=${path}`;
  if (hiding !== null) {
    const better = `/var/lib/land-lookup/sources/${path.split('/').at(-1)!}`;
    return [
      fault(
        `${name} does not see ${where} (${hiding})`,
        `sudo mv ${path} ${better}, then: sudoedit ${file}, line: ${setting}=${better}`,
      ),
    ];
  }
  if (!existsSync(at(path))) return [fault(`${where} does not exist`, `sudoedit ${file}, line: ${setting}=PATH`)];
  const reader = users.get(user);
  const stop = reader && stopsReading(at, path, reader);
  if (stop === null || stop === undefined) return [];
  const mode = stop === path ? 'o+rX' : 'o+x';
  return [
    fault(
      `the user ${user} cannot read ${where}: it is stopped at ${stop}`,
      `sudo chmod ${dirname(stop) === stop ? 'o+x' : mode} ${stop}`,
    ),
  ];
}
