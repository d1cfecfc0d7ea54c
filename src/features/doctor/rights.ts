import { existsSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { currentSnapshot } from '../../core/snapshots/current.ts';
import { stopsReading } from './reading.ts';
import {
  fault,
  good,
  unchecked,
  type Check,
  type Finding,
  IMPORT_SETTINGS,
  SECRETS,
  SETTINGS,
  type Installation,
} from './installation.ts';

/** What a path must be like. */
interface Rule {
  readonly path: string;
  readonly owner: string;
  readonly group: string;
  /** Of what it is at least; what others may do more is a fault. */
  readonly mode: number;
}

/** Owners, and what others may read and write. */
export const rightsCheck: Check = {
  name: 'rights',
  run: (installation) => {
    const { isInstalled, isRoot, users, at, dataDir } = installation;
    if (!existsSync(at(dataDir))) return [unchecked(`there is no ${dataDir}`)];
    if (isInstalled && !users.has('land-lookup'))
      return [fault('there is no user land-lookup', 'sudo systemd-sysusers land-lookup.conf')];
    const rules = [...ofData(installation), ...(isInstalled ? ofEtc(installation) : [])];
    const found = [...rules.flatMap((rule) => judge(installation, rule)), ...readableSnapshot(installation)];
    if (found.length > 0) return found;
    const text = `${rules.length} files and folders are private where they must be`;
    return isRoot || !isInstalled ? [good(text)] : [unchecked('not all can be seen: run "sudo land-lookup doctor"')];
  },
};

/** Snapshots and sources are the import's, everything else is the service's (docs/decisions/0073). */
function ofData({ at, dataDir, isInstalled }: Installation): readonly Rule[] {
  const names = readdirSync(at(dataDir));
  const service = { owner: isInstalled ? 'land-lookup' : '', group: isInstalled ? 'land-lookup' : '' };
  const importing = { ...service, owner: isInstalled ? 'land-lookup-import' : '' };
  return [
    { ...service, path: dataDir, mode: 0o755 },
    ...names
      .filter((name) => /\.sqlite(-wal|-shm|\.format-\d+)?$/.test(name))
      .map((name) => ({ ...service, path: join(dataDir, name), mode: 0o600 })),
    ...names
      .filter((name) => name === 'batches')
      .map((name) => ({ ...service, path: join(dataDir, name), mode: 0o700 })),
    ...names
      .filter((name) => isInstalled && ['snapshots', 'sources'].includes(name))
      .map((name) => ({ ...importing, path: join(dataDir, name), mode: 0o750 })),
    ...names
      .filter((name) => name === 'import.lock')
      .map((name) => ({ ...importing, path: join(dataDir, name), mode: 0o644 })),
  ];
}

function ofEtc({ at, backupDir }: Installation): readonly Rule[] {
  const root = { owner: 'root', group: '' };
  const secrets = existsSync(at(SECRETS)) ? readdirSync(at(SECRETS)).map((name) => join(SECRETS, name)) : [];
  return [
    { ...root, path: '/etc/land-lookup', mode: 0o755 },
    { ...root, group: 'land-lookup', path: SETTINGS, mode: 0o640 },
    { ...root, path: IMPORT_SETTINGS, mode: 0o644 },
    { ...root, path: SECRETS, mode: 0o700 },
    ...secrets.map((path) => ({ ...root, path, mode: 0o600 })),
    { ...root, path: '/etc/land-lookup/tls.pem', mode: 0o600 },
    { owner: 'land-lookup', group: '', path: backupDir, mode: 0o750 },
  ].filter(({ path }) => existsSync(at(path)));
}

function judge(installation: Installation, rule: Rule): Finding[] {
  const stats = lstatSync(installation.at(rule.path));
  const wrongOwner = judgeOwner(installation, rule, stats);
  if (wrongOwner !== null) return [wrongOwner];
  const more = stats.mode & 0o777 & ~rule.mode;
  if (stats.isSymbolicLink() || more === 0) return [];
  const whom = (more & 0o007) !== 0 ? 'everybody' : 'its group';
  const what = (more & 0o022) !== 0 ? 'written' : 'read';
  const wanted = rule.mode.toString(8).padStart(4, '0');
  return [fault(`${rule.path} can be ${what} by ${whom}`, `sudo chmod ${wanted} ${rule.path}`)];
}

/** Without an owner in the rule, it is the one of the data folder. */
function judgeOwner(installation: Installation, { path, owner, group }: Rule, { uid, gid }: Stats): Finding | null {
  const { at, users, dataDir } = installation;
  const wantedUid = owner === '' ? lstatSync(at(dataDir)).uid : users.get(owner)?.uid;
  const wantedGid = group === '' ? gid : users.get(group)?.gid;
  if (uid === wantedUid && gid === wantedGid) return null;
  const wanted = [owner === '' ? String(wantedUid) : owner, ...(group === '' ? [] : [group])].join(':');
  const text = `${path} belongs to ${nameOf(installation, uid)}:${gid}, and not to ${wanted}`;
  return fault(text, ownerRemedy(installation, path, wanted));
}

function nameOf({ users }: Installation, uid: number): string {
  return [...users].find(([, user]) => user.uid === uid)?.[0] ?? String(uid);
}

function ownerRemedy({ dataDir, isInstalled }: Installation, path: string, owner: string): string {
  const isWhole = [dataDir, join(dataDir, 'snapshots'), join(dataDir, 'sources')].includes(path);
  if (isWhole && isInstalled)
    return `sudo /opt/land-lookup/current/bin/make-data-folder ${dataDir} land-lookup land-lookup-import`;
  return `sudo chown ${owner} ${path}`;
}

/** Whether the service may read what the import wrote. */
function readableSnapshot({ at, dataDir, users }: Installation): Finding[] {
  const user = users.get('land-lookup');
  const snapshot = user && snapshotOf(at(dataDir));
  if (!snapshot) return [];
  const shown = join(dataDir, 'snapshots', snapshot.id);
  return ['manifest.json', 'land.gpkg'].flatMap((name) => {
    if (!existsSync(join(snapshot.dir, name))) return [];
    const stop = stopsReading(
      (path) => (path.startsWith(shown) ? join(snapshot.dir, path.slice(shown.length)) : at(path)),
      join(shown, name),
      user,
    );
    return stop === null
      ? []
      : [
          fault(
            `the user land-lookup cannot read ${join(shown, name)}: it is stopped at ${stop}`,
            `sudo chgrp land-lookup ${stop} && sudo chmod g+rX ${stop}`,
          ),
        ];
  });
}

function snapshotOf(dataDir: string) {
  try {
    return currentSnapshot(dataDir);
  } catch {
    // Another check says why.
    return null;
  }
}
