/** The province's packages: a theme each as one zipped file geodatabase, made by GDAL's own program, on a web server. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileHost, HostedFile } from './file-server.ts';
import { ogr2ogr, type TestFeature } from './sources.ts';
import { zipFolder } from './zip.ts';

export interface PackageContent {
  /** Name of the feature class. */
  readonly layer: string;
  readonly features: readonly TestFeature[];
  readonly crs?: string;
}

/** The bytes of `CODE.zip`: `Non_Sensitive.gdb` with one class. Texts such as 2024-05-03T00:00:00 become dates. */
export function packageZip(folder: string, { layer, features, crs = 'EPSG:4269' }: PackageContent): Buffer {
  const scratch = join(folder, 'package');
  mkdirSync(scratch, { recursive: true });
  const [json, gdb, zip] = [
    join(scratch, 'features.geojsons'),
    join(scratch, 'Non_Sensitive.gdb'),
    join(scratch, 'a.zip'),
  ];
  writeFileSync(json, features.map((feature) => `${JSON.stringify({ type: 'Feature', ...feature })}\n`).join(''));
  ogr2ogr(
    '-f',
    'OpenFileGDB',
    gdb,
    json,
    '-nln',
    layer,
    '-a_srs',
    'OGC:CRS84',
    '-t_srs',
    crs,
    '-nlt',
    'PROMOTE_TO_MULTI',
  );
  zipFolder(zip, gdb);
  const bytes = readFileSync(zip);
  rmSync(scratch, { recursive: true });
  return bytes;
}

/** Folder of the packages on a host. */
export const packagesRoot = ({ url }: Pick<FileHost, 'url'>): string => `${url}/fmedatadownload/Packages/fgdb`;

/** Puts a package on the host; a date of its own is given with each. */
export function publishPackage(host: FileHost, code: string, content: Buffer, lastModified: string): HostedFile {
  const file: HostedFile = {
    content,
    etag: `"${content.length.toString(16)}-${Date.parse(lastModified).toString(16)}"`,
    lastModified,
  };
  host.files.set(`/fmedatadownload/Packages/fgdb/${code}.zip`, file);
  return file;
}
