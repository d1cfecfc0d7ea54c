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
import { basename, join } from 'node:path';
import type { StoredSnapshot } from '../../messages/manifest.ts';
import { idInService, readableSnapshots } from '../../core/snapshots/current.ts';
import { fault, good, unchecked, warning, type Check, type Finding } from './check.ts';
import { RELEASES, type Installation } from './installation.ts';

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
