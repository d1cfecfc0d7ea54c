/** The real extracts as the province's services would serve them, and generated layers where there is no extract. */
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceDefinition } from '../../../../src/catalogue/definition.ts';
import type { Catalogue } from '../../../../src/catalogue/catalogue.ts';
import type { DownloadedFeature } from '../../../../src/messages/import.ts';
import { generateProvince } from '../../material/generated-province.ts';
import { serve, servedProvince, sharesOf } from '../province/serve.ts';
import { ogr2ogr } from '../../material/ogr2ogr.ts';
import { geoJson, writeSources } from '../../material/sources.ts';
import type { ServedLayer } from './layers.ts';

interface Entry {
  readonly file: string | readonly string[];
  readonly asOf: string;
  readonly where?: string;
  readonly rename?: Readonly<Record<string, string>>;
}

/** One content twice: behind a server, and in a folder with `sources.json`. */
export interface TwofoldSources {
  readonly layers: readonly ServedLayer[];
  readonly folder: string;
  /** Data sets with real features; the others are generated. */
  readonly real: readonly string[];
}

/**
 * Reads the extracts with GDAL's own programs. Every layer covers what its definition says, because a service has no area of coverage of
 * its own.
 */
export function twofoldSources(catalogue: Catalogue, extracts: string, folder: string): TwofoldSources {
  const entries = JSON.parse(readFileSync(join(extracts, 'sources.json'), 'utf8')) as Record<string, Entry>;
  const generated = generateProvince(catalogue);
  const features = new Map(generated.features);
  const manifest: Record<string, object> = {};
  const files: Record<string, string> = {};
  for (const { id, sources } of catalogue.dataSets) {
    const entry = entries[id];
    if (entry) {
      const { file, asOf, where, rename = {} } = entry;
      features.set(
        id,
        dated(
          filesOf(entry).flatMap((name) => served(join(extracts, name), entry, folder)),
          asOf,
        ),
      );
      manifest[id] = { file, asOf, rename, ...(where === undefined ? {} : { where }) };
    } else {
      const shares = sharesOf(id, features.get(id)!).map(([layer, own]) => serve(layer, own).features);
      features.set(id, shares.flat());
      const asOf = newestDate(shares.flat());
      const read = shares.flatMap((share, part) => share.map(labelled(sources, part, asOf)));
      files[`${id}.geojson`] = geoJson(read.map(asGeoJson));
      manifest[id] = { file: `${id}.geojson`, asOf };
    }
  }
  const from = writeSources(join(folder, 'files'), manifest, files);
  for (const name of Object.values(entries).flatMap(filesOf)) copyFileSync(join(extracts, name), join(from, name));
  const layers = servedProvince(features).map(manner);
  return { layers, folder: from, real: Object.keys(entries) };
}

/** Writes into a feature what an import from a server says of the part that it comes from. */
function labelled(
  sources: readonly SourceDefinition[],
  index: number,
  asOf: string,
): (feature: DownloadedFeature) => DownloadedFeature {
  const composite = sources.find((source) => source.kind === 'composite');
  const part = composite?.parts.filter(({ use }) => use === true)[index];
  if (!composite?.labels || !part) return (feature) => feature;
  const { publisher, kind, asOf: date } = composite.labels;
  const all = [[publisher, part.publisher] as const, [kind, part.kind] as const, [date, asOf] as const];
  const labels = Object.fromEntries(all.flatMap(([field, text]) => (field === undefined ? [] : [[field, text]])));
  return ({ attributes, geometry }) => ({ attributes: { ...attributes, ...part.constants, ...labels }, geometry });
}

function filesOf({ file }: Entry): readonly string[] {
  return typeof file === 'string' ? [file] : file;
}

/** The features of a file in degrees, under the names of the definition. */
function served(path: string, { where, rename = {} }: Entry, folder: string): DownloadedFeature[] {
  const target = join(folder, 'served.geojson');
  const filter = where === undefined ? [] : ['-where', where];
  const precise = ['-lco', 'COORDINATE_PRECISION=15'];
  const source = path.endsWith('.zip') ? `/vsizip/${path}` : path;
  ogr2ogr('-f', 'GeoJSON', ...precise, '-dim', 'XY', '-t_srs', 'OGC:CRS84', ...filter, target, source);
  const { features } = JSON.parse(readFileSync(target, 'utf8')) as {
    features: { properties: DownloadedFeature['attributes']; geometry: DownloadedFeature['geometry'] }[];
  };
  rmSync(target);
  return features.map(({ properties, geometry }) => ({
    attributes: Object.fromEntries(Object.entries(properties).map(([name, value]) => [rename[name] ?? name, value])),
    geometry,
  }));
}

/** With the date columns of the province, and object ids with gaps. */
function dated(features: readonly DownloadedFeature[], asOf: string): DownloadedFeature[] {
  return features.map(({ attributes, geometry }, i) => ({
    attributes: { ...attributes, OBJECTID: 7 + 3 * i, EFFECTIVE_DATETIME: Date.parse(asOf), SYSTEM_DATETIME: i },
    geometry,
  }));
}

function newestDate(features: readonly DownloadedFeature[]): string {
  const newestMs = Math.max(...features.map(({ attributes }) => Number(attributes['EFFECTIVE_DATETIME'])));
  return new Date(newestMs).toISOString().slice(0, 10);
}

function asGeoJson({ attributes, geometry }: DownloadedFeature) {
  return {
    properties: attributes as Record<string, string>,
    geometry: geometry as { type: string; coordinates: unknown },
  };
}

/** Layers differ in what tells a change, in page size and in the formats that they speak. */
function manner(layer: ServedLayer, index: number): ServedLayer {
  const editedMs = Math.max(...layer.features.map(({ attributes }) => Number(attributes['EFFECTIVE_DATETIME'])));
  return {
    ...layer,
    maxRecordCount: layer.features.length > 100 ? 25 : 3,
    // Feature services say when they were edited.
    ...(index % 3 === 1 || layer.service.endsWith('/FeatureServer') ? { editedMs } : {}),
    hasStatistics: index % 3 !== 2,
  };
}
