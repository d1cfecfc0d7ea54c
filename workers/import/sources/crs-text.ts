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
