import { renameSync, writeFileSync } from 'node:fs';

/** Sets the clock of processes that run with `shift-clock.mjs`: by how many milliseconds it is off, or where it stands. In one piece, because they read at any moment. */
export function setClock(file: string, clock: { readonly offMs: number } | { readonly standsAtMs: number }): void {
  writeFileSync(`${file}.new`, 'offMs' in clock ? String(clock.offMs) : `=${clock.standsAtMs}`);
  renameSync(`${file}.new`, file);
}
