import { statSync, watch } from 'node:fs';

/**
 * Calls back once when a file has fewer bytes than it should. Where the file system tells of no changes, or the machine has no watch left, it does nothing.
 * A file that is deleted keeps its bytes for whoever has it open.
 */
export function watchLength(file: string, bytes: number, onShorter: (length: number) => void): Disposable {
  const watching = watchFile(file);
  watching?.on('change', () => {
    const length = statSync(file, { throwIfNoEntry: false })?.size ?? bytes;
    if (length >= bytes) return;
    watching.close();
    onShorter(length);
  });
  watching?.on('error', () => {
    watching.close();
  });
  return {
    [Symbol.dispose]: () => watching?.close(),
  };
}

function watchFile(file: string): ReturnType<typeof watch> | null {
  try {
    return watch(file, { persistent: false });
  } catch {
    return null;
  }
}
