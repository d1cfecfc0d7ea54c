import { accessSync, constants, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes the data folder when it is missing.
 * @throws Error that says what to mend when it, or a database in it, cannot be written.
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
      `DATA_DIR cannot be written, and lookups are recorded there (${(cause as Error).message}): ` +
        'mount its disk for writing, and give the folder and its *.sqlite files to the user of the service',
      { cause },
    );
  }
}
