import type { Unit } from './unit-files.ts';

export const EDIT = 'run "sudo systemctl edit land-lookup-backup", add the lines "[Service]" and';

type Closing = 'ProtectHome' | 'PrivateTmp' | 'ProtectSystem';

/** Folders that a setting of a unit closes: `ProtectHome=yes`, `PrivateTmp=yes`, `ProtectSystem=full` (systemd.exec(5)). */
const CLOSED: Readonly<Record<Closing, readonly string[]>> = {
  ProtectHome: ['/home', '/root', '/run/user'],
  // A unit has folders of its own there, which end with it.
  PrivateTmp: ['/tmp', '/var/tmp'],
  ProtectSystem: ['/usr', '/boot', '/efi', '/etc'],
};

/** Lines that open a folder. */
const LINES: Readonly<Record<Closing, (folder: string) => string>> = {
  ProtectHome: () => 'ProtectHome=no',
  PrivateTmp: () => 'PrivateTmp=no',
  ProtectSystem: (folder) => `ReadWritePaths=${folder}`,
};

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Says how to let the unit of the backup, as it is installed, write to a folder; null: it may, if the folder belongs to its user. */
export function missingRight(folder: string): string | null {
  const closing = (Object.keys(CLOSED) as Closing[]).find((one) => CLOSED[one].some((place) => isBelow(folder, place)));
  const line = closing && LINES[closing](folder);
  return line === undefined ? null : `take a folder below /srv, /mnt or /var, or ${EDIT} "${line}"`;
}

/** Says what keeps a unit from seeing a path; null: nothing. */
export function hiddenFrom(unit: Unit, path: string): string | null {
  if (unit.is('ProtectHome', 'yes', 'true', 'tmpfs') && isIn('ProtectHome', path)) return 'ProtectHome';
  if (unit.is('PrivateTmp', 'yes', 'true') && isIn('PrivateTmp', path)) return 'PrivateTmp';
  return unit.words('InaccessiblePaths').some((one) => isBelow(path, plain(one))) ? 'InaccessiblePaths' : null;
}

/** Says what keeps a unit from writing into a folder; null: nothing. */
export function closedTo(unit: Unit, path: string): string | null {
  const hidden = hiddenFrom(unit, path);
  if (hidden !== null) return hidden;
  const states = unit.words('StateDirectory').map((name) => `/var/lib/${name}`);
  const open = [...unit.words('ReadWritePaths').map(plain), ...states];
  if (open.some((one) => isBelow(path, one))) return null;
  const isClosed = unit.is('ProtectSystem', 'full') ? isIn('ProtectSystem', path) : unit.is('ProtectSystem', 'strict');
  return isClosed ? 'ProtectSystem' : null;
}

function isIn(closing: Closing, path: string): boolean {
  return CLOSED[closing].some((folder) => isBelow(path, folder));
}

/** Without the marks of systemd for paths that may be missing. */
function plain(path: string): string {
  return path.replace(/^[-+]+/, '');
}
