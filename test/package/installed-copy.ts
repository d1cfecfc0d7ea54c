import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Mounts of its own: this machine's files with a folder for all changes over them, so that a package can be installed and nothing of it stays.
 * Arguments: the folder, and a command.
 */
const ENTER = `
  cd "$1"
  mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
  mount -t proc proc root/proc
  mount --rbind /dev root/dev
  mount -t tmpfs -o mode=0755 tmpfs root/run
  shift
  exec chroot root "$@"`;

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** This machine with the package installed, in a folder. */
export class InstalledCopy {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    for (const name of ['upper', 'work', 'root']) mkdirSync(join(folder, name));
  }

  /** Runs a script of bash as root. */
  asRoot(script: string): Ran {
    const inside = ['bash', '-ec', ENTER, '-', this.#folder, 'bash', '-c', script];
    return spawnSync('unshare', ['--mount', '--propagation', 'private', ...inside], {
      encoding: 'utf8',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LANG: 'C.UTF-8' },
    });
  }

  /** Runs a script of bash as a user without rights, who is made when there is none. */
  asUser(name: string, script: string): Ran {
    const user = `setpriv --reuid ${name} --regid ${name} --init-groups env -i HOME=/home/${name} PATH=/usr/bin:/bin`;
    const quoted = `'${script.replaceAll("'", "'\\''")}'`;
    return this.asRoot(
      `id ${name} > /dev/null 2>&1 || useradd -m ${name}; cd /home/${name}; exec ${user} bash -c ${quoted}`,
    );
  }
}
