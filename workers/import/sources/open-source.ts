import { statSync } from 'node:fs';
import type Gdal from 'gdal-async';
import { gdal, immutablePath } from '../../geopackage/gdal.ts';
import { genuine, isGenuine } from '../../geopackage/spatial-reference.ts';
import { placedInJson, sequenceLength } from './check-json.ts';
import { checkCrsText, checkReferences, unreadable } from './read-start.ts';
import { sourceFormat } from './source-format.ts';
import { type TextEncoding, textEncodingOf } from './text-encoding.ts';
import { fieldIndex } from '../../../src/catalogue/source-field.ts';
import { quotedName } from '../features/feature-table.ts';
import { askGeoPackage } from './check-geopackage.ts';
import { deletedRecords } from './check-shapefile.ts';

/** A layer of a source file, opened for reading. */
export interface Source {
  readonly layer: Gdal.Layer;
  /** WKT with x (or longitude) first, as every vector file stores it. */
  readonly crs: string;
  /** Attribute names in the file. */
  readonly fields: readonly string[];
  /** Names of the attributes that contain dates. */
  readonly dateFields: readonly string[];
  readonly featureCount: number;
  readonly encoding: TextEncoding;
  close(): void;
}

export interface SourceOptions {
  readonly layer: LayerChoice;
  readonly where: string | null;
  readonly crs: string | null;
  /** Of a Shapefile's text, whatever it says itself; null: as it says. */
  readonly encoding?: string | null;
}

/** A layer's name, or names of which the first that exists is used; null: the only layer. */
export type LayerChoice = string | readonly string[] | null;

/** More attempts than stale references can exist, because each stale one belongs to an open file. */
const MOST_ATTEMPTS = 100;

/**
 * Opens the requested layer.
 * @throws Error when no driver reads the file, the layer or the CRS is not clear, or the condition is not valid.
 */
export function openSource(path: string, options: SourceOptions): Source {
  const stale: Gdal.Dataset[] = [];
  try {
    // A dataset with a stale reference stays open and so keeps its address. The next reference gets another address.
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const encoding = textEncodingOf(path, sourceFormat(path), options.encoding ?? null);
      const dataset = open(path, encoding);
      const source = openLayer({ path, dataset, encoding }, options);
      if (source) return source;
      stale.push(dataset);
    }
    throw new Error('its CRS cannot be read');
  } finally {
    for (const dataset of stale) dataset.close();
  }
}

/** Returns null when the layer's CRS is the stale wrapper of another one. */
function openLayer(
  { path, dataset, encoding }: { path: string; dataset: Gdal.Dataset; encoding: TextEncoding },
  { layer: name, where, crs }: SourceOptions,
): Source | null {
  try {
    const layer = chooseLayer(dataset, name);
    const own = layer.srs;
    if (own && !isGenuine(own)) return null;
    if (own) checkReferences(own.toWKT());
    const chosen = chooseSrs(own, dataset.driver.description, crs);
    if (where !== null) setFilter(layer, encoding.encode(where));
    return {
      layer,
      crs: xyOrder(chosen),
      fields: layer.fields.getNames().map((field) => encoding.decode(field)),
      encoding,
      dateFields: layer.fields.map(({ name, type }) => (isDate(type) ? [name] : [])).flat(),
      featureCount: countOf(path, layer, where),
      close: () => {
        dataset.close();
      },
    };
  } catch (cause) {
    dataset.close();
    throw cause;
  }
}

function isDate(type: string): boolean {
  return type === gdal.OFTDate || type === gdal.OFTDateTime;
}

/** Opens a file with the driver of its format alone: others guess, or open what the file names. */
function open(path: string, { option }: TextEncoding): Gdal.Dataset {
  const format = sourceFormat(path);
  if (format === 'GPKG') immutablePath(path);
  try {
    if (format === 'GPKG') return gdal.drivers.get('GPKG').open(path, 'r', geoPackageOptions);
    if (format === 'ESRI Shapefile' && option !== null)
      return gdal.drivers.get(format).open(path, 'r', { ENCODING: option });
    if (format !== 'JSON') return gdal.open(path, 'r', [format]);
    const length = sequenceLength(path);
    return length === null ? openJson(path) : openSequence(path, length);
  } catch (cause) {
    throw new Error(unreadable(statSync(path, { throwIfNoEntry: false })?.size ?? null), { cause });
  }
}

/**
 * Nothing is written beside the file, only tables that it lists are layers, and its schema calls nothing
 * (SQLite's `trusted_schema`).
 */
const geoPackageOptions = {
  IMMUTABLE: 'YES',
  LIST_ALL_TABLES: 'NO',
  PRELUDE_STATEMENTS: 'PRAGMA trusted_schema=0; PRAGMA cell_size_check=1',
};

/** @throws Error when GDAL does not read every text of the sequence. */
function openSequence(path: string, length: number): Gdal.Dataset {
  const dataset = gdal.open(path, 'r', ['GeoJSONSeq']);
  const count = dataset.layers.count() === 1 ? dataset.layers.get(0).features.count(true) : 0;
  if (count === length) return dataset;
  dataset.close();
  throw new Error(`${count} of ${length} features`);
}

function openJson(path: string): Gdal.Dataset {
  try {
    return gdal.open(path, 'r', ['GeoJSON']);
  } catch {
    // Tried last: since GDAL 3.10 this driver also accepts GeoJSON when it is among several, and finds nothing in it.
    return gdal.open(path, 'r', ['ESRIJSON']);
  }
}

function chooseLayer(dataset: Gdal.Dataset, choice: LayerChoice): Gdal.Layer {
  const layers = dataset.layers.map((layer) => layer);
  const names = layers.map((layer) => layer.name);
  if (choice !== null) {
    const wanted = namesOf(choice);
    const chosen = wanted.find((name) => names.includes(name));
    if (chosen !== undefined) return layers[names.indexOf(chosen)]!;
    throw new Error(`has no layer "${wanted.join('" or "')}"; it has: ${names.join(', ')}`);
  }
  // QGIS keeps styles in a table, and ArcGIS attachments.
  const spatial = layers.filter(({ geomType }) => geomType !== gdal.wkbNone);
  const [first, ...more] = spatial.length > 0 ? spatial : layers;
  if (!first) throw new Error('has no layers');
  if (more.length > 0) throw new Error(`has several layers; name one in "layer": ${names.join(', ')}`);
  return first;
}

export function namesOf(choice: LayerChoice): readonly string[] {
  return typeof choice === 'string' ? [choice] : (choice ?? []);
}

/**
 * Chooses the CRS. By its standard, GeoJSON without a "crs" member is WGS 84, which many writers ignore; for such files
 * `crs` decides.
 */
function chooseSrs(own: Gdal.SpatialReference | null, driver: string, crs: string | null): Gdal.SpatialReference {
  if (crs === null) {
    if (own && !isUndefined(own)) return own;
    throw new Error('does not name its CRS; set it with "crs"');
  }
  const given = crsOf(crs);
  const isDefault = /JSON/.test(driver) && own?.getAuthorityCode() === '4326';
  if (own && !isDefault && !isUndefined(own) && own.toProj4() !== given.toProj4())
    throw new Error(`names another CRS (${crsName(own.toWKT())}) than "crs": ${crs}`);
  return given;
}

/** The reference systems 0 and -1 of a GeoPackage stand for "not known". */
function isUndefined(srs: Gdal.SpatialReference): boolean {
  return /^\w+\["Undefined /i.test(srs.toWKT());
}

/**
 * Returns a CRS's text with x first, for its name (`EPSG:4269`) or any text that GDAL knows.
 * @throws Error when it is not known.
 */
export function crsText(crs: string): string {
  return xyOrder(crsOf(crs));
}

function crsOf(crs: string): Gdal.SpatialReference {
  checkCrsText(crs);
  try {
    return genuine(() => gdal.SpatialReference.fromUserInput(crs));
  } catch (cause) {
    throw new Error(`"crs" is unknown: ${crs}`, { cause });
  }
}

/**
 * Returns a CRS's text for coordinates with x first. EPSG's geographic CRSs have latitude first, and gdal-async cannot
 * change that; the same text without its axes and authority has longitude first. The function leaves out the height of
 * a 3D CRS, which is written as WKT 2.
 *
 * NAD83(CSRS) counts as NAD83 (docs/decisions/0040), but PROJ would move it by 1.2 m. The function therefore leaves out
 * its datum.
 */
function xyOrder(srs: Gdal.SpatialReference): string {
  const wkt = srs.toWKT();
  checkDatum(wkt);
  if (isCsrs.test(wkt)) return withoutDatum(srs);
  if (/^\w+CRS\[/.test(wkt)) return xyOrder(genuine(() => gdal.SpatialReference.fromProj4(srs.toProj4())));
  return wkt.replace(/,AXIS\["[^"]*",\w+\]/g, '').replace(/,AUTHORITY\["[^"]*","[^"]*"\]\]$/, ']');
}

/** Semi-major axis and beginning of the inverse flattening of GRS 80 and WGS 84, the ellipsoids of NAD83 and WGS 84. */
const [AXIS_M, FLATTENING] = [6_378_137, '298.257'];

/**
 * Without the grid of Natural Resources Canada, which no package of this project has, PROJ moves NAD27 by one vector for all of the country: in
 * Ontario the place is then up to 20 m off, more than the bands of some answers are wide.
 * @throws Error for a CRS on another ellipsoid, whose datum is not that of NAD83 or WGS 84.
 */
function checkDatum(wkt: string): void {
  const [, axis, flattening] = /(?:SPHEROID|ELLIPSOID)\["[^"]*",\s*([\d.]+),\s*([\d.]+)/.exec(wkt) ?? [];
  if (axis === undefined || (Number(axis) === AXIS_M && flattening?.startsWith(FLATTENING) === true)) return;
  throw new Error(
    `is in "${crsName(wkt)}", whose datum is not NAD83 or WGS 84, and nothing here converts it to a few metres: convert it with the grid of ` +
      'Natural Resources Canada (NTv2), such as in QGIS, to EPSG:4269',
  );
}

/** All versions of NAD83(CSRS), as EPSG and as Esri name them. */
const isCsrs = /DATUM\["[^"]*(CSRS|Canadian_Spatial_Reference_System)/i;

function withoutDatum(srs: Gdal.SpatialReference): string {
  const ellipsoidOnly = srs.toProj4().replace(/ \+(datum|towgs84|nadgrids)=\S+/g, '');
  return genuine(() => gdal.SpatialReference.fromProj4(ellipsoidOnly)).toWKT();
}

/** Returns the name of a CRS. */
export function crsName(wkt: string): string {
  return /^\w+\["([^"]*)"/.exec(wkt)?.[1] ?? wkt;
}

/**
 * Counts the features that fit the condition, as they are in the file. What a file keeps as their number may be old: the count of a GeoPackage's
 * `gpkg_ogr_contents`, or that of a Shapefile with records that are marked as deleted. GDAL hands a condition on a GeoPackage to SQLite, which looks at
 * it only now.
 * @throws Error when the condition does not fit the fields.
 */
function countOf(path: string, layer: Gdal.Layer, where: string | null): number {
  if (where === null && layer.ds.driver.description === 'GPKG') return oneOf(path, 'COUNT(*)', layer.name) as number;
  const isShapefile = layer.ds.driver.description === 'ESRI Shapefile';
  const count = layer.features.count(true) - (where === null && isShapefile ? deletedRecords(path) : 0);
  if (count >= 0) return count;
  throw new Error(where === null ? 'is damaged: its features cannot be counted' : misfit(layer, where));
}

/** What SQLite computes over the rows of a table. */
function oneOf(path: string, expression: string, table: string): unknown {
  return askGeoPackage(path, (db) =>
    db
      .prepare(`SELECT ${expression} FROM ${quotedName(table)}`)
      .pluck()
      .get(),
  );
}

/** Returns how many features have a geometry in the file, whether or not GDAL reads it; null when nothing tells. */
export function placedFeatures(path: string, layer: Gdal.Layer): number | null {
  const driver = layer.ds.driver.description;
  if (/JSON/.test(driver)) return placedInJson(path);
  if (driver !== 'GPKG') return null;
  return oneOf(path, `COUNT(*) FILTER (WHERE ${isPlaced(quotedName(layer.geomColumn))})`, layer.name) as number;
}

/** Of a GeoPackage's geometry: the header, and the longest empty one, which has an envelope. */
const [HEADER_BYTES, EMPTY_BYTES] = [8, 61];

/** Says in SQL whether a geometry is not empty: an empty one is short, and ends in a number of parts that is 0, or in NaN. */
function isPlaced(geometry: string): string {
  const ends = `X'00000000', X'0000F87F', X'0000F8FF'`;
  return `length(${geometry}) > ${EMPTY_BYTES} OR (length(${geometry}) > ${HEADER_BYTES} AND substr(${geometry}, -4) NOT IN (${ends}))`;
}

function misfit(layer: Gdal.Layer, where: string): string {
  return `the condition "${where}" does not fit its fields (${layer.fields.getNames().join(', ')})`;
}

/**
 * Sets the condition. In a GeoPackage it is SQL, and a query in it may read other tables, or never end.
 * @throws Error when it contains a query or does not fit the fields, or a name in it may be several fields.
 */
function setFilter(layer: Gdal.Layer, where: string): void {
  if (/\b(select|with)\b/i.test(where.replaceAll(/'[^']*'|"[^"]*"/g, '')))
    throw new Error(`the condition "${where}" contains a query: compare the file's own fields only`);
  checkNames(layer, where);
  try {
    layer.setAttributeFilter(where);
  } catch (cause) {
    throw new Error(misfit(layer, where), { cause });
  }
}

/** What a condition may name besides fields (OGR SQL, "special fields"). */
const specialNames = /^(fid|ogr_geometry|ogr_style|ogr_geom_wkt|ogr_geom_area)$/i;

/** SQLite takes a quoted name that no column has for a text, and the condition is then true or false for every feature. */
function checkNames(layer: Gdal.Layer, where: string): void {
  const present = layer.fields.getNames();
  const own = [...present, layer.fidColumn, layer.geomColumn];
  for (const [, quotedName, word] of where
    .replaceAll(/'[^']*'/g, "''")
    .matchAll(/"((?:[^"]|"")*)"|([\p{L}_][\p{L}\p{N}_]*)/gu)) {
    const name = quotedName?.replaceAll('""', '"') ?? word!;
    const index = fieldIndex(name, present);
    if (index === null && quotedName !== undefined && !specialNames.test(name) && fieldIndex(name, own) === null)
      throw new Error(misfit(layer, where));
  }
}
