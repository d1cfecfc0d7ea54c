import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFileSync } from '../files/replace.ts';
import { snapshotsFolder } from './folders.ts';

/** When this machine last found that it has the snapshot of the place that it follows, in `snapshots/followed.json`. */
export interface Followed {
  readonly format: 1;
  /** UTC, ISO 8601. */
  readonly at: string;
  readonly from: string;
  readonly snapshot: string;
}

const fileIn = (dataDir: string): string => join(snapshotsFolder(dataDir), 'followed.json');

export function writeFollowed(dataDir: string, followed: Followed): void {
  replaceFileSync(fileIn(dataDir), `${JSON.stringify(followed)}\n`);
}

/** Null on a machine that follows none. */
export function readFollowed(dataDir: string): Followed | null {
  try {
    const followed = JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as Followed;
    return (followed.format as number) === 1 ? followed : null;
  } catch {
    return null;
  }
}
