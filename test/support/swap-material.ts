/** Data folders and sources for swaps between snapshots whose answers differ. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/config.ts';
import { readManifest, requireCurrentSnapshot } from '../../src/snapshots/current.ts';
import { snapshotsFolder } from '../../src/snapshots/folders.ts';
import { useSnapshot } from '../../src/snapshots/publish.ts';
import { writeLargeSource } from '../bench/large-source.ts';
import { cliOrThrow } from './cli.ts';
import { damages, writeManifest } from './snapshot-copies.ts';

const MUNICIPALITIES = 'municipal_lower_single.geojson';

/** The bundled sample with another name for its town, in a folder to import from. */
export function renamedSource(folder: string, town: string): void {
  cpSync(join(projectDir, 'layers', 'sample'), folder, { recursive: true });
  const file = join(folder, MUNICIPALITIES);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('SAMPLETON', town));
}

/** As `renamedSource`, and so many more wetlands that the import takes a while. */
export function largeSource(folder: string, town: string, wetlands: number): void {
  renamedSource(folder, town);
  rmSync(join(folder, 'wetland.geojson'));
  writeLargeSource(join(folder, 'wetland.gpkg'), wetlands, 60);
  const list = join(folder, 'sources.json');
  const sources = JSON.parse(readFileSync(list, 'utf8')) as Record<string, unknown>;
  writeFileSync(list, JSON.stringify({ ...sources, wetland: { file: 'wetland.gpkg', asOf: '2026-01-01' } }));
}

/** Imports the sample, then the sample with another town; gives both snapshots, with the first in service. */
export function importTwoSnapshots(dataDir: string, sources: string): readonly [string, string] {
  const imported = (...args: string[]): string => {
    cliOrThrow(dataDir, ...args);
    return requireCurrentSnapshot(dataDir).manifest.id;
  };
  imported('load-layers', '--sample');
  const first = imported('load-addresses', '--sample');
  renamedSource(sources, 'SECONDTON');
  const second = imported('load-layers', '--from', sources);
  useSnapshot(dataDir, first);
  return [first, second];
}

/** Copies of a snapshot, each spoilt in a way of its own. Gives their ids. */
export function storeBadSnapshots(dataDir: string, good: string): readonly string[] {
  return Object.values(damages).map((damage, n) => {
    const id = `20260101T00000${n}Z-badbadbadbad`;
    const [from, to] = [join(snapshotsFolder(dataDir), good), join(snapshotsFolder(dataDir), id)];
    cpSync(from, to, { recursive: true });
    writeManifest(dataDir, { ...readManifest(from), id });
    damage(join(to, 'land.gpkg'));
    return id;
  });
}
