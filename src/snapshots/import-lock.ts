import { mkdirSync } from 'node:fs';
import { takeLock } from '../files/lock.ts';
import { importLockFile } from './folders.ts';

/** Takes the lock that admits one import at a time (see `takeLock`). */
export function takeImportLock(dataDir: string): Disposable {
  mkdirSync(dataDir, { recursive: true });
  return takeLock(importLockFile(dataDir), 'another import is running');
}
