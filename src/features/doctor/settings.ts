import { basename, join } from 'node:path';
import { isSecret } from '../../core/settings/settings-reader.ts';
import { idInService, readableSnapshots } from '../../core/snapshots/current.ts';
import { checkDefinitions } from '../../core/layers/check-definitions.ts';
import {
  type Check,
  type Finding,
  fault,
  good,
  warning,
  unchecked,
  type Installation,
  IMPORT_SETTINGS,
  SECRETS,
  secretNames,
  SETTINGS,
  RELEASES,
} from './installation.ts';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import type { StoredSnapshot } from '../../messages/manifest.ts';

/** Names and values, also of imports and secrets. */
export const settingsCheck: Check = {
  name: 'settings',
  run: ({ settings, isInstalled, importFaults, values, at }) => {
    const place = isInstalled ? `sudoedit ${SETTINGS}` : 'correct the environment';
    const found: Finding[] = [
      ...settings.faults.map((text) => fault(text, place)),
      ...importFaults.map((text) => fault(`${basename(IMPORT_SETTINGS)}: ${text}`, `sudoedit ${IMPORT_SETTINGS}`)),
      ...(isInstalled ? secretNames(at) : []).flatMap((name) =>
        isSecret(name)
          ? []
          : [fault(`${SECRETS}/${name} has the name of no secret setting, so nobody reads it`, renaming(name))],
      ),
      ...Object.keys(values).flatMap((name) => (isSecret(name) ? secretInFile(name, at, values[name]!) : [])),
    ];
    return found.length > 0 ? found : [good(`${settings.settings.length} settings, none is wrong`)];
  },
};

function renaming(name: string): string {
  return `sudo mv ${SECRETS}/${name} ${SECRETS}/SETTING, with the name of its setting, such as STRIPE_API_KEY`;
}

/** An address of Redis without a password is none. */
function secretInFile(name: string, at: Installation['at'], value: string): Finding[] {
  if (secretNames(at).includes(name) || (name === 'REDIS_URL' && !/:[^/@]+@/.test(value))) return [];
  return [
    warning(
      `${SETTINGS} has the secret ${name}, which then is in backups and in the environment of processes`,
      `sudo install -m 0600 /dev/stdin ${SECRETS}/${name}, then remove its line: sudoedit ${SETTINGS}`,
    ),
  ];
}

/** The ports of the processes. That PORT is not ADMIN_PORT is a rule of the settings. */
export const portsCheck: Check = {
  name: 'ports',
  run: ({ instances, config }) => {
    const bad = instances.filter((name) => !/^[1-9]\d{0,3}$/.test(name));
    const taken = instances.filter((name) => instances.includes(`1${name}`));
    const found = [
      ...bad.map((name) =>
        fault(
          `land-lookup@${name} is named after no port of at most four digits: its metrics are at 1${name}`,
          `sudo systemctl disable --now land-lookup@${name} && sudo systemctl enable --now land-lookup@8081`,
        ),
      ),
      ...taken.map((name) =>
        fault(
          `land-lookup@1${name} has the port of the metrics of land-lookup@${name}`,
          `sudo systemctl disable --now land-lookup@1${name}`,
        ),
      ),
    ];
    const ports = instances.length > 0 ? instances.join(', ') : `${config.port}`;
    return found.length > 0 ? found : [good(`answers at ${ports}`)];
  },
};

/** The operator's own definitions, and whether definitions name all that the snapshot in service has. */
export const layersCheck: Check = {
  name: 'layers',
  run: ({ settings, at, dataDir }) => {
    const placed = settings.settings.map((one) =>
      one.name === 'LAYERS_DIR' && one.value !== null ? { ...one, value: at(one.value) } : one,
    );
    const { changes, faults, ids } = checkDefinitions(placed);
    if (faults.length > 0)
      return faults.map((text) => fault(text, 'correct the file, then: sudo land-lookup check-config'));
    const known = new Set(ids);
    const inService = idInService(at(dataDir));
    const manifest = readableSnapshots(at(dataDir)).find(({ id }) => id === inService)?.manifest;
    const unnamed = Object.keys(manifest?.dataSets ?? {}).filter((id) => !known.has(id));
    if (unnamed.length > 0) {
      const text = `no definition names ${unnamed.join(', ')} of the snapshot in service: their answers are missing`;
      return [warning(text, `sudo cp ${unnamed.map((id) => `${id}.json`).join(' ')} /etc/land-lookup/layers.d/`)];
    }
    return [good(changes.length === 0 ? 'those of the release' : `in LAYERS_DIR: ${changes.join(', ')}`)];
  },
};

const CURRENT = '/opt/land-lookup/current';

/** The installed releases, and what each can answer from: one goes back to an earlier one when the newest fails. */
export const releasesCheck: Check = {
  name: 'releases',
  run: (installation) => {
    const { at } = installation;
    if (!existsSync(at(RELEASES))) return [unchecked('there are no releases in /opt/land-lookup')];
    const names = readdirSync(at(RELEASES))
      .filter((name) => !name.startsWith('.'))
      .sort();
    const back = `land-lookup-use-release; sudo land-lookup-use-release ${names.at(-1) ?? 'RELEASE'}`;
    if (!existsSync(at(join(CURRENT, 'dist/src/main.js'))))
      return [fault(`${CURRENT} leads to no whole release`, back)];
    const current = basename(realpathSync(at(CURRENT)));
    return names.map((name) => lookAtRelease(installation, name, name === current));
  },
};

function lookAtRelease(installation: Installation, name: string, isCurrent: boolean): Finding {
  const { at, dataDir } = installation;
  const folder = at(join(RELEASES, name));
  if (!existsSync(join(folder, 'bin/node')) || !existsSync(join(folder, 'dist/src/main.js')))
    return warning(`${name} is not whole`, `sudo rm -r ${join(RELEASES, name)}`);
  const inService = idInService(at(dataDir));
  const label = `${name} (${versionOf(folder)}${isCurrent ? ', in service' : ''})`;
  const snapshots = readableSnapshots(at(dataDir));
  const now = snapshots.find(({ id }) => id === inService);
  if (now === undefined) return unchecked(`${label}: no snapshot is in service`);
  const why = refusal(installation, folder, now);
  if (why === null) return good(`${label} can answer from the snapshot in service`);
  const older = snapshots.find((one) => one !== now && refusal(installation, folder, one) === null);
  const text = `${label} cannot answer from the snapshot in service: ${why}`;
  if (isCurrent)
    return fault(
      text,
      older ? `sudo land-lookup snapshot use ${older.id}` : 'sudo land-lookup load-addresses --from FILE',
    );
  return older
    ? good(`${label} can answer from ${older.id}, not from the one in service: to go back, "snapshot use" it first`)
    : warning(
        `${text}; nor from another one: there is no way back`,
        `sudo rm -r ${join(RELEASES, name)}, or keep the backup from before the upgrade`,
      );
}

function versionOf(folder: string): string {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string }).version;
  } catch {
    return 'unknown version';
  }
}

/** Asks the release's own program, as the user of the service, as `land-lookup-use-release` does. Null: it answers. */
function refusal({ run, users, isRoot, at }: Installation, release: string, { dir }: StoredSnapshot): string | null {
  const view = mkdtempSync(join(tmpdir(), 'land-lookup-view-'));
  try {
    chmodSync(view, 0o755);
    symlinkSync(dir, join(view, 'current'));
    const user = isRoot ? users.get('land-lookup') : undefined;
    const layers = at('/etc/land-lookup/layers.d');
    const env = { DATA_DIR: view, PATH: '/usr/bin:/bin', ...(existsSync(layers) ? { LAYERS_DIR: layers } : {}) };
    const args = [join(release, 'dist/src/main.js'), 'lookup', '--at', '44,-79.5'];
    const { status, stderr } = run(join(release, 'bin/node'), args, { env, ...(user ? { user } : {}) });
    return status === 0
      ? null
      : (stderr.trim().split('\n')[0] ?? '') || `its program ended with ${status ?? 'a signal'}`;
  } finally {
    rmSync(view, { recursive: true });
  }
}
