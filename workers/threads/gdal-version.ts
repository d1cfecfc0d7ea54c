/** Piscina's entry for `land-lookup --version`: says which GDAL is loaded. */
import type { MessagePort } from 'node:worker_threads';
import type { Outcome } from '../../src/shared/outcome.ts';
import { gdal } from '../geopackage/gdal.ts';

export default function run({ progress }: { readonly progress: MessagePort }): Outcome<string> {
  progress.close();
  return { ok: true, value: gdal.version };
}
