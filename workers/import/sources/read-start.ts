import { closeSync, openSync, readSync } from 'node:fs';

const START_BYTES = 64;

/** Returns the first bytes of a file. */
export function readStart(file: string): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const start = Buffer.alloc(START_BYTES);
    return start.subarray(0, readSync(descriptor, start));
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the message for a file that no driver reads. */
export function unreadable(bytes: number | null): string {
  const size = bytes === null ? '' : ` (${bytes} bytes)`;
  return `is not a readable GeoPackage, GeoJSON, Shapefile or FileGDB, or is truncated${size}`;
}

/** Says whether a file begins as a pointer of Git LFS (the specification, version 1), in place of the file itself. */
export function isLfsPointer(start: Buffer): boolean {
  return start.toString('latin1').startsWith('version https://git-lfs.github.com/spec/');
}

export const lfsPointer = 'is a pointer of Git LFS, not the file itself: fetch it with "git lfs pull"';

/** `EPSG:4269`, `urn:ogc:def:crs:EPSG::4269`, the same as an address of the OGC, or one of the names that GDAL knows. */
const names = [
  /^(EPSG|ESRI|OGC|IGNF|IAU_2015):\w+$/i,
  /^urn:(ogc|x-ogc|opengis):(def:)?crs:[\w.:,-]+$/i,
  /^https?:\/\/(www\.)?opengis\.net\/def\/crs\/[\w/.-]+$/i,
  /^(WGS84|WGS72|NAD83|NAD27|CRS84|CRS83|CRS27)$/i,
];

/** The beginning of WKT, and of a PROJ text. */
const definitions = [/^[A-Za-z_]\w*\s*[[(]/, /^\+?proj=/];

/** Members of WKT and PROJ texts with which PROJ opens a file or a server: grids, models, and definitions in other files. */
const reference = /(grids|init|file|model|catalog)=|proj=pipeline|PARAMETERFILE|PROJ4_GRIDS|:\/\/|\/vsi/i;

/** PROJ's "no grid", which the text of EPSG:3857 contains. */
const noGrid = /\+nadgrids=@null\b/g;

/**
 * Checks that a text which defines a CRS is a name or a whole definition. GDAL takes any other text as the name of a file or server to read.
 * @throws Error that quotes the text.
 */
export function checkCrsText(text: string): void {
  const trimmed = text.trim();
  if (names.some((name) => name.test(trimmed))) return;
  if (!definitions.some((definition) => definition.test(trimmed))) throw new Error(`"crs" is unknown: ${quoted(text)}`);
  checkReferences(trimmed);
}

/** @throws Error when a CRS refers to a file or a server. */
export function checkReferences(text: string): void {
  const found = reference.exec(text.replaceAll(noGrid, ''));
  if (found)
    throw new Error(
      `its CRS refers to a file or a server (${quoted(text.slice(Math.max(0, found.index - 10)))}), and an import reads neither: ` +
        'convert it to a CRS with a name, such as EPSG:4269',
    );
}

const MOST_QUOTED = 60;

/** Returns the text as one short line. */
export function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= MOST_QUOTED ? line : `${line.slice(0, MOST_QUOTED)}…`;
}
