import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

/** Runs a program in a folder, and returns what it printed. @throws Error when it fails. */
export const run = (cwd: string, program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: 'pipe', maxBuffer: 1 << 26 });

export interface BuiltPackage {
  readonly file: string;
  /** What it holds, unpacked. */
  readonly root: string;
  /** The release in it. */
  readonly release: string;
}

let built: BuiltPackage | undefined;

/** The Debian package of this project, built once for all tests of a process. */
export function builtPackage(): BuiltPackage {
  built ??= build();
  return built;
}

function build(): BuiltPackage {
  const { path } = temporaryFolder();
  run(projectDir, 'deploy/build-deb', path);
  const [file] = globSync(join(path, '*.deb'));
  const root = join(path, 'root');
  run(path, 'dpkg-deb', '--extract', file!, root);
  return { file: file!, root, release: join(root, 'usr/lib/land-lookup/release') };
}
