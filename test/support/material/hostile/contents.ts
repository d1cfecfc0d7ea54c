/** Content of other drivers under a name that an import knows. Many of them open other files, servers or databases. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goodJson, type HostileCase, type Place } from './case.ts';

const isXml = /is a web page or XML instead of data: it begins with "</;
const unreadable = /is not a readable GeoPackage, GeoJSON, Shapefile or FileGDB, or is truncated \(\d+ bytes\)$/;

function content(what: string, ending: string, text: (place: Place) => string | Buffer, says: RegExp): HostileCase {
  return {
    what,
    ending,
    says,
    write: (path, place) => {
      writeFileSync(path, text(place));
    },
  };
}

export const contents: readonly HostileCase[] = [
  content(
    'a virtual format with an address',
    '.geojson',
    ({ address }) =>
      `<OGRVRTDataSource><OGRVRTLayer name="a"><SrcDataSource>/vsicurl/${address}/vrt</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>`,
    isXml,
  ),
  content(
    'a virtual format with a file outside',
    '.gpkg',
    ({ outside }) =>
      `<OGRVRTDataSource><OGRVRTLayer name="canary"><SrcDataSource>${outside}/canary.geojson</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>`,
    isXml,
  ),
  content(
    'a feature service',
    '.json',
    ({ address }) => `<OGRWFSDataSource><URL>${address}/wfs</URL></OGRWFSDataSource>`,
    isXml,
  ),
  content(
    'GML with an external schema',
    '.gml',
    ({ address }) =>
      `<?xml version="1.0"?><ogr:FeatureCollection xmlns:ogr="x" xsi:schemaLocation="x ${address}/a.xsd"/>`,
    isXml,
  ),
  content(
    'XML with an external entity',
    '.kml',
    ({ outside }) => `<!DOCTYPE kml [<!ENTITY x SYSTEM "file://${outside}/canary.csv">]><kml>&x;</kml>`,
    isXml,
  ),
  content('a feature service as JSON', '.json', ({ address }) => `OAPIF:${address}/oapif`, unreadable),
  content('the connection of a database', '.gpkg', () => 'PG:host=127.0.0.1 dbname=x', unreadable),
  content('a table of text', '.csv', () => 'NAME,WKT\na,POINT (-79 43)\n', unreadable),
  content('a table of text under another name', '.shp', () => 'NAME,WKT\na,POINT (-79 43)\n', unreadable),
  content('a picture with coordinates', '.gpkg', () => Buffer.from('49492a0008000000000000', 'hex'), unreadable),
  content('a topology', '.json', () => '{"type":"Topology","objects":{},"arcs":[]}', unreadable),
  content(
    'a catalogue of other files',
    '.json',
    ({ address }) => `{"type":"Catalog","stac_version":"1.0.0","links":[{"href":"${address}/stac"}]}`,
    unreadable,
  ),
  content('a program', '.shp', () => '#!/bin/sh\nexit 1\n', unreadable),
  {
    ...{
      what: 'a GeoPackage under the name of another format',
      ending: '.geojson',
      before: 'imported',
      says: /is named as JSON, but is of the format GeoPackage: give it its right extension/,
    },
    write: (path, { good }) => {
      copyFileSync(join(good, 'good.gpkg'), path);
    },
  },
  content(
    'GeoJSON under the name of another format',
    '.gpkg',
    () => goodJson,
    /is named as GeoPackage, but is of the format JSON/,
  ),
  {
    ...{ what: 'a folder with other files', ending: '.gdb', says: /is a folder, but no FileGDB/ },
    write: (path, { address }) => {
      mkdirSync(path);
      writeFileSync(
        join(path, 'a.vrt'),
        `<OGRVRTDataSource><OGRVRTLayer name="a"><SrcDataSource>/vsicurl/${address}/folder</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>`,
      );
    },
  },
];
