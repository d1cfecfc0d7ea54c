/** Files that are dropped anywhere on the page, or chosen: each goes where its content belongs. */

/** The beginning of a file that tells what it is. */
const HEAD_BYTES = 64 * 1024;

const GEOJSON = new Set([
  ...['FeatureCollection', 'Feature', 'GeometryCollection', 'Polygon', 'MultiPolygon'],
  ...['Point', 'MultiPoint', 'LineString', 'MultiLineString'],
]);

/** The others are files that the page cannot read. */
export type Kind = 'parcel' | 'places' | keyof typeof others;

/** Endings of names. */
const others = {
  map: 'kml kmz gpx gml shp shx dbf prj gpkg gdb dxf dwg tab mif',
  archive: 'zip 7z rar gz tar',
  spreadsheet: 'xls xlsx xlsm ods numbers',
  other: 'pdf doc docx odt jpg jpeg png tif tiff',
};

/** `takers` null: the page takes no such files. */

type Taker = ((file: File) => void) | null;
export function takeFiles({
  parcel,
  places,
  other,
}: {
  parcel: Taker;
  places: Taker;
  other: (file: File, kind: Kind) => void;
}) {
  const take = async (file: File | null | undefined) => {
    if (!file) return;
    const head = await file.slice(0, HEAD_BYTES).text();
    const kind = kindOf(file.name, head);
    const taker = kind === 'parcel' ? parcel : kind === 'places' ? places : null;
    if (taker) taker(file);
    else other(file, kind);
  };
  for (const id of ['parcel-file', 'batch-file']) {
    const field = document.getElementById(id) as HTMLInputElement | null;
    field?.addEventListener('change', () => void take(field.files?.[0]));
  }
  addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
  addEventListener('drop', (event) => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    void take(file);
  });
}

/** Recognises a file by its name, otherwise by its beginning: NDJSON has a whole object in its first line, which is no GeoJSON. */
export function kindOf(name: string, head: string): Kind {
  const ending = endingOf(name);
  for (const [kind, endings] of Object.entries(others)) if (endings.split(' ').includes(ending)) return kind as Kind;
  if (/^(csv|tsv|ndjson|jsonl)$/.test(ending)) return 'places';
  const text = head.replace(/^\ufeff/, '').trimStart();
  if (text.startsWith('PK\u0003\u0004')) return 'archive';
  if (/^<(\?xml|kml|gpx)\b/i.test(text)) return 'map';
  if (text.includes('\0')) return 'other';
  if (text.startsWith('{')) return isRow(text.split(/\r?\n/, 1)[0] ?? '') ? 'places' : 'parcel';
  return /json$/i.test(name) || text.startsWith('[') ? 'parcel' : 'places';
}

export const endingOf = (name: string) => (/\.(\w+)$/.exec(name)?.[1] ?? '').toLowerCase();

function isRow(line: string) {
  try {
    return !GEOJSON.has((JSON.parse(line) as { type: string }).type);
  } catch {
    return false;
  }
}
