import { accessSync, constants, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes the data folder when it is missing.
 * @throws Error that says what to repair when the folder or a database in it cannot be written.
 */
export function requireWritable(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.W_OK);
    for (const name of readdirSync(dataDir)) {
      if (name.includes('.sqlite')) accessSync(join(dataDir, name), constants.W_OK);
    }
  } catch (cause) {
    throw new Error(
      `DATA_DIR cannot be written, but the service records lookups there (${(cause as Error).message}): ` +
        'mount its disk for writing, and make the user of the service the owner of the folder and its *.sqlite files',
      { cause },
    );
  }
}
