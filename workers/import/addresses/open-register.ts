import { statSync } from 'node:fs';
import { fromRandomAccessReaderPromise, openPromise } from 'yauzl';
import { registerFolder, type RegisterFiles } from './files.ts';
import { openHttpRanges } from './http-ranges.ts';
import { registerZip } from './zip.ts';

export interface OpenRegister extends Disposable {
  readonly files: RegisterFiles;
}

const zipOptions = { autoClose: false, lazyEntries: true, validateEntrySizes: true } as const;

/**
 * Opens a register: a folder, a zip file, or the zip file's URL, of which only Ontario's members are fetched.
 * @throws Error when there is none, or it has no files of Ontario.
 */
export async function openRegister(from: string): Promise<OpenRegister> {
  if (/^https?:\/\//i.test(from)) {
    const { reader, bytes } = await openHttpRanges(new URL(from));
    return opened(await registerZip(await fromRandomAccessReaderPromise(reader, bytes, zipOptions), from));
  }
  if (statSync(from, { throwIfNoEntry: false })?.isFile() === true) {
    return opened(await registerZip(await openPromise(from, zipOptions), from));
  }
  return opened({ files: await registerFolder(from), close: () => undefined });
}

function opened({ files, close }: { files: RegisterFiles; close: () => void }): OpenRegister {
  return { files, [Symbol.dispose]: close };
}
