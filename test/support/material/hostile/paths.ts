/** Names and links that lead out of the folder, and what is no file. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { goodJson, type HostileCase, type Place } from './case.ts';

const outsideFolder = /is outside the folder: name only files that lie in it/;
const leadsOut = /is a link that leads out of the folder: copy the file/;

function shapefileWithLink(extension: string, before?: HostileCase['before']): HostileCase {
  return {
    ...{
      what: `a Shapefile whose .${extension} is a link to a file outside`,
      ending: '.shp',
      says: leadsOut,
      ...(before ? { before } : {}),
    },
    write: (path, { good, outside }) => {
      const stem = path.slice(0, -'.shp'.length);
      for (const other of ['shp', 'shx', 'dbf', 'prj']) {
        if (other === extension) symlinkSync(join(outside, `canary.${extension}`), `${stem}.${extension}`);
        else copyFileSync(join(good, `good.${other}`), `${stem}.${other}`);
      }
    },
  };
}

/** A FileGDB of which one table is a link. */
function fileGdb(path: string, { good, outside }: Place): void {
  cpSync(join(good, 'good.gdb'), path, { recursive: true });
  const table = readdirSync(path).findLast((name) => name.endsWith('.gdbtable'))!;
  rmSync(join(path, table));
  symlinkSync(join(outside, 'canary.gdbtable'), join(path, table));
}

export const paths: readonly HostileCase[] = [
  {
    ...{ what: 'a name with ..', ending: '', says: outsideFolder, before: 'read outside' },
    entry: () => ({ file: '../outside/canary.geojson' }),
  },
  {
    ...{ what: 'an absolute name', ending: '', says: outsideFolder },
    entry: ({ outside }) => ({ file: join(outside, 'canary.geojson') }),
  },
  {
    ...{ what: "a name of GDAL's network files", ending: '', says: outsideFolder },
    entry: ({ address }) => ({ file: `/vsicurl/${address}/a.geojson` }),
  },
  {
    ...{ what: 'the connection of a database as its name', ending: '', says: /there is no such file/ },
    entry: () => ({ file: 'PG:host=127.0.0.1 dbname=x' }),
  },
  {
    ...{ what: 'a coverage with ..', ending: '.geojson', says: outsideFolder, before: 'read outside' },
    write: (path) => {
      writeFileSync(path, goodJson);
    },
    entry: () => ({ coverage: '../outside/canary.geojson' }),
  },
  {
    ...{ what: 'a link to a file outside', ending: '.geojson', says: leadsOut, before: 'read outside' },
    write: (path, { outside }) => {
      symlinkSync(join(outside, 'canary.geojson'), path);
    },
  },
  {
    ...{
      what: 'a folder that is a link outside',
      ending: '',
      says: /is reached through a link that leads out of the folder/,
      before: 'read outside',
    },
    write: (path, { outside }) => {
      symlinkSync(outside, path);
    },
    entry: ({ from }) => ({
      file: `${readdirSync(from, { withFileTypes: true }).find((entry) => entry.isSymbolicLink() && !entry.name.includes('.'))!.name}/canary.geojson`,
    }),
  },
  shapefileWithLink('dbf', 'read outside'),
  shapefileWithLink('prj', 'read outside'),
  {
    ...{ what: 'a FileGDB with a link to a file outside', ending: '.gdb', says: leadsOut, before: 'read outside' },
    write: fileGdb,
  },
  {
    ...{ what: 'a FileGDB with a link to itself', ending: '.gdb', says: /is a folder, but no FileGDB/ },
    write: (path) => {
      mkdirSync(path);
      symlinkSync(path, join(path, 'again.gdb'));
    },
  },
  {
    ...{ what: 'a circle of links', ending: '.geojson', says: leadsOut, before: 'ended the import' },
    write: (path) => {
      symlinkSync(basename(path), path);
    },
  },
  {
    ...{
      what: 'a pipe that nobody writes',
      ending: '.geojson',
      says: /is neither a file nor a folder/,
      before: 'never ended',
    },
    write: (path) => {
      execFileSync('mkfifo', [path]);
    },
  },
  {
    ...{
      what: 'a pipe beside a Shapefile',
      ending: '.shp',
      says: /is neither a file nor a folder/,
      before: 'never ended',
    },
    write: (path, { good }) => {
      const stem = path.slice(0, -'.shp'.length);
      for (const extension of ['shp', 'shx', 'dbf'])
        copyFileSync(join(good, `good.${extension}`), `${stem}.${extension}`);
      execFileSync('mkfifo', [`${stem}.prj`]);
    },
  },
];
