/** The province's packages: a theme each as one zipped file geodatabase, made by GDAL's own program, on a web server. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import { type DownloadedFeature, effectiveField } from '../../../src/messages/import.ts';
import type { ServedLayer } from './arcgis/layers.ts';
import type { FileHost, HostedFile } from './file-server.ts';
import { ogr2ogr } from '../material/ogr2ogr.ts';
import { type TestFeature } from '../material/sources.ts';
import { zipFolder } from '../material/zip.ts';

/** Serves layers of a service as packages too, under the codes that the definitions give them, with this much besides the data in each. */
export function publishLayers(
  host: FileHost,
  { dataSets }: Catalogue,
  {
    layers,
    folder,
    ballastBytes,
  }: { readonly layers: readonly ServedLayer[]; readonly folder: string; readonly ballastBytes: number },
): void {
  for (const { id, sources, geometry } of dataSets) {
    const [first, service] = sources;
    // The coordinates of a geodatabase are rounded to a tenth of a millimetre: only areas are compared with a tolerance.
    if (first?.kind !== 'package' || service?.kind !== 'arcgis' || geometry !== 'polygon') continue;
    const layer = layers.find(({ service: path, name }) => path === service.service && service.names.includes(name));
    if (!layer) throw new Error(`no layer is served for ${id}`);
    const features = layer.features.map(asPackaged);
    const content = packageZip(folder, { layer: first.layer[0]!, features, ballastBytes });
    publishPackage(host, first.code, content, 'Mon, 05 Oct 2026 04:00:00 GMT');
  }
}

/** Object ids are the geodatabase's own; dates are dates there. */
function asPackaged({ attributes, geometry }: DownloadedFeature): TestFeature {
  const properties = { ...attributes } as Record<string, string | number | null>;
  Reflect.deleteProperty(properties, 'OBJECTID');
  const date = properties[effectiveField];
  if (date !== undefined && date !== null) properties[effectiveField] = new Date(date).toISOString().slice(0, 19);
  return { geometry, properties };
}

export interface PackageContent {
  /** Name of the feature class. */
  readonly layer: string;
  readonly features: readonly TestFeature[];
  readonly crs?: string;
  /** Of a document that lies beside the data. */
  readonly ballastBytes?: number;
}

/** Packages that were made, by their content: making one costs a process. */
const made = new Map<string, Buffer>();

/**
 * The bytes of `CODE.zip`: `Non_Sensitive.gdb` with one class. Texts such as 2024-05-03T00:00:00 become dates. They are not to be
 * changed.
 */
export function packageZip(folder: string, content: PackageContent): Buffer {
  const key = JSON.stringify(content);
  const zip = made.get(key) ?? makeZip(folder, content);
  made.set(key, zip);
  return zip;
}

function makeZip(folder: string, { layer, features, crs = 'EPSG:4269', ballastBytes = 0 }: PackageContent): Buffer {
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
  zipFolder(zip, gdb, ballastBytes > 0 ? { 'metadata.pdf': randomBytes(ballastBytes) } : {});
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
