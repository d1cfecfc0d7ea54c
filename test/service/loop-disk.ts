import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/drivers/folder.ts';

/** A small ext4 disk of its own, from a file. */
export class LoopDisk implements Disposable {
  /** Where it is mounted. */
  readonly path: string;
  readonly #mountPoint = temporaryFolder();
  readonly #images = temporaryFolder();

  private constructor() {
    this.path = this.#mountPoint.path;
  }

  /** Null where mounting is not permitted. */
  static mount(): LoopDisk | null {
    const disk = new LoopDisk();
    const isThere =
      run('truncate', '-s', '64M', disk.#image('first')) &&
      run('mkfs.ext4', '-q', disk.#image('first')) &&
      run('mount', '-o', 'loop', disk.#image('first'), disk.path);
    if (isThere) return disk;
    disk[Symbol.dispose]();
    return null;
  }

  /** What the kernel does after an error: read-only from now on, under open files, for good. */
  fail(): void {
    // Writes of pages that were mapped before are another way than those of pages that are still dirty.
    must('sync', '-f', this.path);
    must('mount', '-o', 'remount,abort', this.path);
  }

  /** Only its folder is left, in which anybody can write. */
  takeOut(): void {
    must('umount', '-l', this.path);
  }

  replace(): void {
    this.takeOut();
    this.putIn();
  }

  /** What was durable on the failed disk, checked and repaired, on a disk that can be written, in the same place. */
  putIn(): void {
    copyFileSync(this.#image('first'), this.#image('second'));
    // Ends with 1 when it corrected something.
    run('e2fsck', '-fy', this.#image('second'));
    must('mount', '-o', 'loop', this.#image('second'), this.path);
  }

  /** An orderly change, which the kernel refuses while a file is open for writing. */
  makeReadOnly(): void {
    must('mount', '-o', 'remount,ro', this.path);
  }

  [Symbol.dispose](): void {
    run('umount', '-l', this.path);
    this.#mountPoint[Symbol.dispose]();
    this.#images[Symbol.dispose]();
  }

  #image(name: string): string {
    return join(this.#images.path, name);
  }
}

function run(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args).status === 0;
}

function must(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
}
