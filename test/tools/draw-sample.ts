/**
 * Draws the bundled sample: `npm run draw-sample` writes `layers/sample/` anew, always the same. The shapes are in
 * `test/support/material/sample/`; all of them are made up for this project.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectDir } from '../../src/project/project.ts';
import { addressFiles } from '../support/material/sample/addresses.ts';
import type { Feature } from '../support/material/sample/frame.ts';
import { land } from '../support/material/sample/land.ts';
import { plans } from '../support/material/sample/plans.ts';
import { water } from '../support/material/sample/water.ts';

const NOTICE = 'Hand-drawn sample data, not real';
/** Where the sample's conservation authority knows the answer, in degrees: the two southern towns, not the country and the north. */
const AUTHORITY_COVERAGE = [-78.65, 43.9, -78.15, 44.14];

/** Writes the sample into `folder` and removes older drawings from it; README.md stays. */
export function drawSample(folder: string): void {
  for (const name of readdirSync(folder)) if (/\.geojson$/.test(name)) rmSync(join(folder, name));
  const layers = { ...plans, ...water, ...land };
  const sources: Record<string, unknown> = { sample: true };
  for (const [id, features] of Object.entries(layers).sort(([a], [b]) => (a < b ? -1 : 1))) {
    sources[id] = {
      file: `${id}.geojson`,
      asOf: asOf(id),
      ...(['flood_hazard', 'regulated_area'].includes(id) ? { coverage: AUTHORITY_COVERAGE } : {}),
    };
    writeFileSync(join(folder, `${id}.geojson`), collection(id, features));
  }
  writeFileSync(join(folder, 'sources.json'), `${JSON.stringify(sources, null, 2)}\n`);
  for (const [file, text] of Object.entries(addressFiles())) {
    mkdirSync(join(folder, 'addresses', file, '..'), { recursive: true });
    writeFileSync(join(folder, 'addresses', file), text);
  }
}

/** GeoJSON with a feature a line; the members outside the standard say what it is. */
function collection(id: string, features: readonly Feature[]): string {
  const head = `{"type": "FeatureCollection", "name": ${JSON.stringify(id)}, "title": ${JSON.stringify(NOTICE)}, "attribution": ${JSON.stringify(NOTICE)},`;
  return `${head}\n"features": [\n${features.map((feature) => JSON.stringify(feature)).join(',\n')}\n]}\n`;
}

/** Days of 2025 that differ between data sets, so that a mix-up shows. */
function asOf(id: string): string {
  const day = createHash('sha256').update(id).digest().readUInt16BE(0) % 365;
  return new Date(Date.UTC(2025, 0, 1 + day)).toISOString().slice(0, 10);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) drawSample(join(projectDir, 'layers', 'sample'));
