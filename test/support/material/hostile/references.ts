/** CRS texts that name a server or a file. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goodFeature, goodJson, jsonWith, type HostileCase, type Place } from './case.ts';

function json(what: string, text: (place: Place) => string, rest: Pick<HostileCase, 'says' | 'before'>): HostileCase {
  return {
    what,
    ending: '.geojson',
    write: (path, place) => {
      writeFileSync(path, text(place));
    },
    ...rest,
  };
}

const link = ({ address }: Place, id: string) => ({
  type: 'link',
  properties: { href: `${address}/${id}`, type: 'ogcwkt' },
});
const asksNobody = /has a "crs" of the type "\w+" .*for which an import asks nobody: replace it by/i;
const refers = /its CRS refers to a file or a server .*convert it to a CRS with a name, such as EPSG:4269/;
const unknown = /"crs" is unknown: /;

function named(name: string): string {
  return jsonWith({ crs: { type: 'name', properties: { name } } });
}

const inJson: readonly HostileCase[] = [
  json('a crs of the type link', (place) => jsonWith({ crs: link(place, 'link') }), {
    says: asksNobody,
    before: 'asked',
  }),
  json(
    'a crs of the type url',
    ({ address }) => jsonWith({ crs: { type: 'url', properties: { url: `${address}/url` } } }),
    {
      ...{ says: asksNobody, before: 'asked' },
    },
  ),
  json(
    'a link inside a geometry',
    (place) => jsonWith({}).replace('"type":"Polygon"', `"crs":${JSON.stringify(link(place, 'inner'))},$&`),
    {
      ...{ says: asksNobody, before: 'asked' },
    },
  ),
  json(
    'a link under an escaped key',
    (place) => jsonWith({ crs: link(place, 'escaped') }).replace('"crs"', String.raw`"\u0063rs"`),
    {
      ...{ says: asksNobody, before: 'asked' },
    },
  ),
  json('a link under a key in capitals', (place) => jsonWith({ CRS: link(place, 'capitals') }), {
    says: asksNobody,
    before: 'asked',
  }),
  json(
    'a link after the features',
    (place) => `${goodJson.slice(0, -1)},"crs":${JSON.stringify(link(place, 'after'))}}`,
    {
      ...{ says: asksNobody, before: 'asked' },
    },
  ),
  json(
    'a link beside a name',
    (place) =>
      jsonWith({
        crs: { Type: 'link', type: 'name', properties: { name: 'EPSG:4326', ...link(place, 'both').properties } },
      }),
    {
      ...{ says: asksNobody, before: 'asked' },
    },
  ),
  json(
    'a link in a comment-like disguise',
    (place) => jsonWith({ crs: link(place, 'comment') }).replace('"crs"', '/* */"crs"'),
    {
      says: /is not JSON: "\/" at byte/,
    },
  ),
  json('a link in single quotes', (place) => jsonWith({ crs: link(place, 'quotes') }).replace('"crs"', "'crs'"), {
    says: /is not JSON: "'" at byte/,
  }),
  json('an address as the name of the CRS', ({ address }) => named(`${address}/name`), {
    says: unknown,
    before: 'imported',
  }),
  json('a path as the name of the CRS', ({ outside }) => named(join(outside, 'canary.prj')), {
    says: unknown,
    before: 'imported',
  }),
  json('a grid outside', ({ outside }) => named(`+proj=longlat +ellps=GRS80 +nadgrids=${outside}/canary.gsb`), {
    ...{ says: refers, before: 'read outside' },
  }),
  json('a definition in a file outside', ({ outside }) => named(`+init=${outside}/canary.init:x`), {
    says: unknown,
    before: 'read outside',
  }),
  {
    ...{ what: 'an address as the WKT of ESRI JSON', ending: '.json', says: unknown },
    write: (path, { address }) => {
      const geometry = { rings: (goodFeature.geometry as { coordinates: unknown }).coordinates };
      const spatialReference = { wkt: `${address}/esri` };
      const features = [{ attributes: { NAME: 'a' }, geometry }];
      const fields = [{ name: 'NAME', type: 'esriFieldTypeString' }];
      writeFileSync(path, JSON.stringify({ geometryType: 'esriGeometryPolygon', spatialReference, fields, features }));
    },
  },
];

/** A Shapefile with this text in its `.prj`. */
function shapefile(what: string, prj: (place: Place) => string, says: RegExp, before?: 'read outside'): HostileCase {
  return {
    ...{ what, ending: '.shp', says, ...(before ? { before } : {}) },
    write: (path, place) => {
      const stem = path.slice(0, -'.shp'.length);
      for (const extension of ['shp', 'shx', 'dbf'])
        copyFileSync(join(place.good, `good.${extension}`), `${stem}.${extension}`);
      writeFileSync(`${stem}.prj`, prj(place));
    },
  };
}

const wkt = (extension: string): string =>
  `GEOGCS["x",DATUM["D",SPHEROID["GRS80",6378137,298.257222101],${extension}],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]]`;

const inShapefiles: readonly HostileCase[] = [
  shapefile('an address as its .prj', ({ address }) => `${address}/prj`, refers),
  shapefile(
    'a grid outside in its .prj',
    ({ outside }) => wkt(`EXTENSION["PROJ4_GRIDS","${outside}/canary.gsb"]`),
    refers,
    'read outside',
  ),
  shapefile('a .prj of a megabyte', () => 'GEOGCS['.repeat(150_000), /\.prj is no CRS: it has \d+ bytes/),
];

/** What `sources.json` says beside the name of the file. */
const inManifest: readonly HostileCase[] = [
  {
    ...{ what: 'an address as "crs" in sources.json', ending: '.geojson', says: unknown, before: 'asked' as const },
    write: (path) => {
      writeFileSync(path, goodJson);
    },
    entry: ({ address }) => ({ crs: `${address}/manifest` }),
  },
  {
    ...{
      what: 'a grid outside as "crs" in sources.json',
      ending: '.geojson',
      says: refers,
      before: 'read outside' as const,
    },
    write: (path) => {
      writeFileSync(path, goodJson);
    },
    entry: ({ outside }) => ({ crs: `+proj=longlat +ellps=GRS80 +nadgrids=${outside}/canary.gsb` }),
  },
];

export const references: readonly HostileCase[] = [...inJson, ...inShapefiles, ...inManifest];
