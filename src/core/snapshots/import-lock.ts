import { takeLock } from '../files/lock.ts';
import { importLockFile } from './folders.ts';
import { makeFolder } from '../files/make-folder.ts';

/** Takes the lock that admits one import at a time (see `takeLock`). */
export function takeImportLock(dataDir: string): Disposable {
  makeFolder(dataDir);
  return takeLock(importLockFile(dataDir), 'another import is running');
}
