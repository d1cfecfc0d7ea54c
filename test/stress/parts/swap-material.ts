/** Data folders and sources for swaps between snapshots whose answers differ. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../../src/project/project.ts';
import { readManifest, requireCurrentSnapshot } from '../../../src/core/snapshots/current.ts';
import { snapshotsFolder } from '../../../src/core/snapshots/folders.ts';
import { useSnapshot } from '../../../src/core/snapshots/publish.ts';
import { southernWetlands, writeLargeSource } from '../../bench/parts/large-source.ts';
import { cliOrThrow } from '../../support/drivers/cli.ts';
import { damages, writeManifest } from '../../support/material/snapshot-copies.ts';

const TOWNS = 'municipal_lower_single';

/** What a source has instead of the sample's: the name of the town, and the date of that, by which every answer names its snapshot. */
export interface Renamed {
  readonly town: string;
  readonly asOf: string;
}

/** The date of the towns in an answer, plain or full. */
export function townsAsOf(answer: string): string {
  return (JSON.parse(answer) as { dataAsOf: Record<typeof TOWNS, string> }).dataAsOf[TOWNS];
}

/** The bundled sample with another town, in a folder to import from. */
function renamedSource(folder: string, { town, asOf }: Renamed): void {
  cpSync(join(projectDir, 'layers', 'sample'), folder, { recursive: true });
  const file = join(folder, `${TOWNS}.geojson`);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('SAMPLETON', town));
  listSource(folder, { [TOWNS]: { file: `${TOWNS}.geojson`, asOf } });
}

/** As `renamedSource`, and so many more wetlands that the import takes a while. */
export function largeSource(folder: string, renamed: Renamed, wetlands: number): void {
  renamedSource(folder, renamed);
  rmSync(join(folder, 'wetland.geojson'));
  writeLargeSource(join(folder, 'wetland.gpkg'), { count: wetlands, ...southernWetlands });
  listSource(folder, { wetland: { file: 'wetland.gpkg', asOf: '2026-01-01' } });
}

function listSource(folder: string, entry: Readonly<Record<string, unknown>>): void {
  const list = join(folder, 'sources.json');
  const sources = JSON.parse(readFileSync(list, 'utf8')) as Record<string, unknown>;
  writeFileSync(list, JSON.stringify({ ...sources, ...entry }));
}

/** Imports the sample, then the sample with another town; gives both snapshots, with the first in service. */
export function importTwoSnapshots(dataDir: string, sources: string): readonly [string, string] {
  const imported = (...args: string[]): string => {
    cliOrThrow(dataDir, ...args);
    return requireCurrentSnapshot(dataDir).manifest.id;
  };
  imported('load-layers', '--sample');
  const first = imported('load-addresses', '--sample');
  renamedSource(sources, { town: 'SECONDTON', asOf: '2026-02-02' });
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
