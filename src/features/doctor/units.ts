import {
  type Check,
  type Finding,
  fault,
  good,
  unchecked,
  warning,
  type Installation,
  IMPORT_SETTINGS,
  SETTINGS,
  startBackups,
} from './installation.ts';
import { type Job, readJobs } from '../../core/snapshots/jobs.ts';
import { closedTo, hiddenFrom } from '../../core/units/unit-rights.ts';
import { stopsReading } from './reading.ts';
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const SERVICES = [
  'land-lookup@',
  'land-lookup-refresh',
  'land-lookup-follow',
  'land-lookup-reconcile',
  'land-lookup-backup',
  'land-lookup-sources',
];
const TIMERS = SERVICES.slice(1).map((name) => `${name}.timer`);

const REINSTALL = 'sudo apt install --reinstall ./land-lookup_VERSION_amd64.deb, or in a clone: sudo make install';

/** Units that are installed, enabled and running. */
export const unitsCheck: Check = {
  name: 'units',
  run: (installation) => {
    const { isInstalled, instances } = installation;
    if (!isInstalled) return [unchecked('nothing is installed here: the settings are those of the environment')];
    const found = [...installed(installation), ...enabled(installation), ...running(installation)];
    return found.length > 0
      ? found
      : [good(`installed; ${instances.length} processes, and timers, start with the machine`)];
  },
};

function installed({ unit }: Installation): Finding[] {
  const services = SERVICES.map((name) => `${name}.service`);
  return [...services, ...TIMERS, 'landlookup.slice'].flatMap((name): Finding[] => {
    const found = unit(name);
    if (found === null) return [fault(`the unit ${name} is missing`, REINSTALL)];
    if (found.isMasked) return [];
    // The backup writes to a folder of the operator's choice.
    const protection = name === 'land-lookup-backup.service' ? ['strict', 'full'] : ['strict'];
    if (name.endsWith('.service') && !found.is('ProtectSystem', ...protection))
      return [fault(`the unit ${name} runs without its restrictions (10-hardening.conf)`, REINSTALL)];
    const [own, packaged] = [found.files[0]!, found.files.find((file) => file.includes('/usr/lib/'))];
    if (packaged === undefined || own === packaged) return [];
    const text = `the unit ${name} of /etc/systemd/system is in force, and not the one of the package`;
    return [
      warning(
        text,
        `sudo rm /etc/systemd/system/${name} && sudo systemctl daemon-reload; changes belong to: sudo systemctl edit ${name}`,
      ),
    ];
  });
}

/** Features of which units run a command, and the file with their FEATURES. */
const RUN_BY = {
  'land-lookup-backup.timer': ['backup', SETTINGS],
  'land-lookup-follow.timer': ['travel', IMPORT_SETTINGS],
  'land-lookup-sources.timer': ['sources', IMPORT_SETTINGS],
} as const;

function enabled(installation: Installation): Finding[] {
  const { enabled: names, instances, config, importValues, importFeatures } = installation;
  const follows = names.includes('land-lookup-follow.timer');
  const refreshes = names.includes('land-lookup-refresh.timer');
  const [one, ...others] = instances;
  const leftOut = Object.entries(RUN_BY).filter(
    ([name, [feature, file]]) =>
      names.includes(name) && !(file === SETTINGS ? config.features! : importFeatures).includes(feature),
  );
  return [
    ...leftOut.map(([name, [feature, file]]) =>
      fault(
        `${name} is enabled, and FEATURES leaves out "${feature}", whose command it runs`,
        `sudo systemctl disable --now ${name}, or: sudoedit ${file}: add ${feature} to FEATURES`,
      ),
    ),
    ...(one === undefined
      ? [warning('no process starts with the machine', 'sudo systemctl enable --now land-lookup@8081')]
      : []),
    ...(others.length > 0 && !config.redisUrl
      ? [
          fault(
            `${instances.length} processes are enabled without REDIS_URL: one alone starts`,
            `sudo systemctl disable --now ${others.map((name) => `land-lookup@${name}`).join(' ')}, or set REDIS_URL ("Change to Redis" in docs/operations.md)`,
          ),
        ]
      : []),
    ...(names.includes('land-lookup-backup.timer')
      ? []
      : [
          fault(
            'nothing makes backups',
            startBackups(installation, 'sudo systemctl enable --now land-lookup-backup.timer'),
          ),
        ]),
    ...(follows || refreshes
      ? []
      : [warning('nothing refreshes the data', 'sudo systemctl enable --now land-lookup-refresh.timer')]),
    ...(follows && refreshes
      ? [
          fault(
            'the machine follows another one and imports by itself too',
            'sudo systemctl disable --now land-lookup-refresh.timer',
          ),
        ]
      : []),
    ...(follows && !importValues['FOLLOW_FROM']
      ? [
          fault(
            'the machine follows, and nothing says whom',
            `sudoedit ${IMPORT_SETTINGS}, line: FOLLOW_FROM=http://HOST:18081/snapshots`,
          ),
        ]
      : []),
  ];
}

/** What systemd says of the units. */
function running({ hasSystemd, enabled: names, run }: Installation): Finding[] {
  if (!hasSystemd) return [unchecked('whether units run: systemd does not run here')];
  const { status, stdout, stderr } = run('systemctl', [
    'list-units',
    '--all',
    '--plain',
    '--no-legend',
    '--no-pager',
    'land-lookup*',
  ]);
  if (status !== 0) return [unchecked(`whether units run: systemctl says "${stderr.trim()}"`)];
  // "land-lookup@8081.service loaded active running ..."
  const states = new Map(
    stdout
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .map(([name = '', , active = '']) => [name, active]),
  );
  return [...new Set([...names, ...states.keys()])].flatMap((name): Finding[] => {
    const state = states.get(name);
    if (state === 'failed')
      return [fault(`${name} has failed`, `journalctl -u ${name} -n 20, then: sudo systemctl start ${name}`)];
    const isStarted = state === 'active' || state === 'activating' || state === 'reloading';
    return names.includes(name) && !isStarted
      ? [fault(`${name} is enabled and does not run`, `sudo systemctl start ${name}`)]
      : [];
  });
}

/** What shows how a job went. */
const LOGS: Readonly<Record<Job, string>> = {
  refresh: 'land-lookup-refresh',
  address_refresh: 'land-lookup-refresh',
  follow: 'land-lookup-follow',
  prune: 'land-lookup-refresh',
  backup: 'land-lookup-backup',
  reconcile: 'land-lookup-reconcile',
  sources: 'land-lookup-sources',
};

/** Whether the last run of each job succeeded, as the jobs themselves note it. Their age is what alerts look at. */
export const jobsCheck: Check = {
  name: 'jobs',
  run: ({ dataDir, at }) => {
    const known = readJobs(at(dataDir), at('/etc/systemd/system')).filter(({ begunAt }) => begunAt !== null);
    if (known.length === 0) return [unchecked('no job has run here')];
    const failed = known.flatMap(({ job, failed, succeededAt }) => {
      if (failed === null || failed.at <= (succeededAt ?? '')) return [];
      return [warning(`${job} failed at ${failed.at}: ${failed.why}`, `journalctl -u ${LOGS[job]} -n 50`)];
    });
    return failed.length > 0
      ? failed
      : [good(`the last run of each succeeded: ${known.map(({ job }) => job).join(', ')}`)];
  },
};

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

function backupFolder({ backupDir: folder, at, unit, users }: Installation): Finding[] {
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
