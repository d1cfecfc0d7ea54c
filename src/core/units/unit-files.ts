import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Where systemd looks for units, the first before the others (systemd.unit(5)). */
const FOLDERS = [
  '/etc/systemd/system',
  '/run/systemd/system',
  '/usr/local/lib/systemd/system',
  '/usr/lib/systemd/system',
];

/** A unit as systemd puts it together, from its file and the files that operators and packages lay beside it. */
export interface Unit {
  readonly name: string;
  /** All files of this name, the one in force first. */
  readonly files: readonly string[];
  /** An operator has put nothing in its place, so that it never starts. */
  readonly isMasked: boolean;
  /** Values of a setting of its [Service], without those that an empty one took back. */
  all(setting: string): readonly string[];
  /** Words of these values. */
  words(setting: string): readonly string[];
  is(setting: string, ...values: readonly string[]): boolean;
}

/** Reads a unit below a root; null: it is not installed. */
export function readUnit(root: string, name: string): Unit | null {
  const files = FOLDERS.map((folder) => join(root, folder, name)).filter((file) => existsSync(file));
  const [inForce] = files;
  if (inForce === undefined) return null;
  const lines = [inForce, ...dropIns(root, name)].flatMap((file) => serviceLines(readFileSync(file, 'utf8')));
  const all = (setting: string): readonly string[] => {
    const values = lines.filter((line) => line.setting === setting).map(({ value }) => value);
    return values.slice(values.lastIndexOf('') + 1);
  };
  return {
    name,
    files,
    all,
    isMasked: realpathSync(inForce) === '/dev/null',
    words: (setting) => all(setting).flatMap((value) => value.split(/\s+/).map((word) => word.replace(/^"|"$/g, ''))),
    is: (setting, ...values) => values.includes(all(setting).at(-1) ?? ''),
  };
}

/** In the order in which systemd reads them: by their names, whatever the folder; of equal names the one in the first folder. */
function dropIns(root: string, name: string): readonly string[] {
  const found = new Map<string, string>();
  for (const folder of FOLDERS.flatMap((one) => namesOf(name).map((unit) => join(root, one, `${unit}.d`)))) {
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder).filter((one) => one.endsWith('.conf')))
      if (!found.has(file)) found.set(file, join(folder, file));
  }
  return [...found.values()].sort((a, b) => (basename(a) < basename(b) ? -1 : 1));
}

/** `land-lookup-backup.service` takes also what lies in `land-lookup-.service.d`, and an instance what its template has. */
function namesOf(name: string): readonly string[] {
  const [, stem = '', type = ''] = /^(.*)\.(\w+)$/.exec(name) ?? [];
  const template = /^(.*@).+$/.exec(stem)?.[1];
  const prefixes = [...stem.matchAll(/-/g)].map(({ index }) => `${stem.slice(0, index + 1)}.${type}`).reverse();
  return [name, ...(template === undefined ? [] : [`${template}.${type}`]), ...prefixes];
}

function serviceLines(text: string): { readonly setting: string; readonly value: string }[] {
  let section = '';
  return text
    .replace(/\\\n/g, ' ')
    .split('\n')
    .flatMap((line) => {
      section = /^\[(.*)\]/.exec(line)?.[1] ?? section;
      const [, setting, value = ''] = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      return setting === undefined || section !== 'Service' ? [] : [{ setting, value }];
    });
}
