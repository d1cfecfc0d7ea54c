import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const left = new Set<string>();

/** What lives as long as the process leaves its folder behind: Mocha ends its parallel processes at once. */
process.once('exit', () => {
  for (const path of left) {
    try {
      remove(path);
    } catch {
      // A test that failed may have left a disk mounted there.
    }
  }
});

/** A fresh folder that goes away with the scope, `using folder = temporaryFolder()`, at the latest with the process. */
export function temporaryFolder(place = tmpdir()): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(place, 'land-lookup-test-'));
  left.add(path);
  return {
    path,
    [Symbol.dispose]: () => {
      remove(path);
      left.delete(path);
    },
  };
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
