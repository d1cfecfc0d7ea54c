import { statSync } from 'node:fs';
import { openPromise } from 'yauzl';
import { registerFolder, type RegisterFiles } from './files.ts';
import { registerZip } from './zip.ts';

export interface OpenRegister extends Disposable {
  readonly files: RegisterFiles;
}

const zipOptions = { autoClose: false, lazyEntries: true, validateEntrySizes: true } as const;

/**
 * Opens a register: a folder, or a zip file.
 * @throws Error when there is none, or it has no files of Ontario.
 */
export async function openRegister(from: string): Promise<OpenRegister> {
  if (statSync(from, { throwIfNoEntry: false })?.isFile() === true) {
    const zip = await openPromise(from, zipOptions).catch((cause: unknown) => {
      throw new Error(`${from} is no whole zip file (${(cause as Error).message}): fetch it again`, { cause });
    });
    return opened(await registerZip(zip, from));
  }
  return opened({ files: await registerFolder(from), close: () => undefined });
}

function opened({ files, close }: { files: RegisterFiles; close: () => void }): OpenRegister {
  return { files, [Symbol.dispose]: close };
}
