import { type Check, type Finding, fault, good, unchecked, warning } from './check.ts';
import { type Installation, IMPORT_SETTINGS } from './installation.ts';
import { type Job, readJobs } from '../../core/snapshots/jobs.ts';

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

function enabled({ enabled: names, instances, config, importValues }: Installation): Finding[] {
  const follows = names.includes('land-lookup-follow.timer');
  const refreshes = names.includes('land-lookup-refresh.timer');
  const [one, ...others] = instances;
  return [
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
      : [fault('nothing makes backups', 'sudo systemctl enable --now land-lookup-backup.timer')]),
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
