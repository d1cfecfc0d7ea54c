import { basename } from 'node:path';
import { isSecret } from '../../core/settings/settings-reader.ts';
import { idInService, readableSnapshots } from '../../core/snapshots/current.ts';
import { checkDefinitions } from '../../core/layers/check-definitions.ts';
import { fault, good, warning, type Check, type Finding } from './check.ts';
import { IMPORT_SETTINGS, SECRETS, secretNames, SETTINGS, type Installation } from './installation.ts';

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
