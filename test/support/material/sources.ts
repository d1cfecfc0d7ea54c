import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Rings in degrees; the first point is repeated at the end. */
export type Ring = readonly (readonly [number, number])[];

export interface TestFeature {
  readonly geometry: { readonly type: string; readonly coordinates: unknown } | null;
  readonly properties: Readonly<Record<string, string | number | null>>;
}

/** A square of `size` degrees whose south-west corner is (west, south). */
export function square(west: number, south: number, size: number): Ring {
  return [
    [west, south],
    [west + size, south],
    [west + size, south + size],
    [west, south + size],
    [west, south],
  ];
}

export function polygon(rings: readonly Ring[], properties: TestFeature['properties'] = {}): TestFeature {
  return { geometry: { type: 'Polygon', coordinates: rings }, properties };
}

/** GeoJSON text; `crs` as the old "crs" member names it. */
export function geoJson(features: readonly TestFeature[], crs?: string): string {
  return JSON.stringify({
    type: 'FeatureCollection',
    ...(crs === undefined ? {} : { crs: { type: 'name', properties: { name: crs } } }),
    features: features.map((feature) => ({ type: 'Feature', ...feature })),
  });
}

/** Writes a folder of source files with their `sources.json`. */
export function writeSources(
  folder: string,
  manifest: object,
  files: Readonly<Record<string, string | Buffer>>,
): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  writeFileSync(join(folder, 'sources.json'), JSON.stringify(manifest));
  return folder;
}
