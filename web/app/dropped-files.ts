/** Files that are dropped anywhere on the page, or chosen: each goes where its content belongs. */
import { markedEncoding } from '../shared/encoding.ts';

/** The beginning of a file that tells what it is. */
const HEAD_BYTES = 64 * 1024;

const GEOJSON = new Set([
  ...['FeatureCollection', 'Feature', 'GeometryCollection', 'Polygon', 'MultiPolygon'],
  ...['Point', 'MultiPoint', 'LineString', 'MultiLineString'],
]);

/** What is no parcel, no places and no KML, the page cannot read. */
export type Kind = 'parcel' | 'answer' | keyof typeof endings;

/** Endings of names. */
const endings = {
  places: 'csv tsv ndjson jsonl',
  kml: 'kml',
  map: 'kmz gpx gml shp shx dbf prj gpkg gdb dxf dwg tab mif',
  archive: 'zip 7z rar gz tar',
  spreadsheet: 'xls xlsx xlsm ods numbers',
  other: 'pdf doc docx odt jpg jpeg png tif tiff',
};

/** Null: the page takes no such files. */
type Taker = ((file: File) => void) | null;
export function takeFiles(
  takers: Record<'parcel' | 'places' | 'kml' | 'answer', Taker> & {
    begin: () => void;
    other: (file: File, kind: Kind) => void;
  },
) {
  const take = async (file: File | null | undefined) => {
    if (!file) return;
    const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
    const kind = kindOf(file.name, new TextDecoder(markedEncoding(head) ?? 'utf-8').decode(head));
    const taker = isTaken(kind) ? takers[kind] : null;
    takers.begin();
    if (taker) taker(file);
    else takers.other(file, kind);
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

const isTaken = (kind: Kind) => kind === 'parcel' || kind === 'places' || kind === 'kml' || kind === 'answer';

/** The beginning of an answer of ours: no row of places has layers. */
const ANSWER = /^\{\s*"(address|lat|areaM2)"[^]*"layers"\s*:\s*\{/;

/** Recognises a file by its name, otherwise by its beginning: NDJSON has a whole object in its first line, which is no GeoJSON. */
export function kindOf(name: string, head: string): Kind {
  const ending = endingOf(name);
  for (const [kind, known] of Object.entries(endings)) if (known.split(' ').includes(ending)) return kind as Kind;
  const text = head.replace(/^\ufeff/, '').trimStart();
  if (text.startsWith('PK\u0003\u0004')) return 'archive';
  if (/^<(\?xml|kml|gpx)\b/i.test(text)) return /<kml\b/i.test(text) ? 'kml' : 'map';
  if (text.includes('\0')) return 'other';
  if (text.startsWith('{')) return kindOfObject(text);
  return /json$/i.test(name) || text.startsWith('[') ? 'parcel' : 'places';
}

function kindOfObject(text: string): Kind {
  if (ANSWER.test(text)) return 'answer';
  return isRow(text.split(/\r?\n/, 1)[0] ?? '') ? 'places' : 'parcel';
}

export const endingOf = (name: string) => (/\.(\w+)$/.exec(name)?.[1] ?? '').toLowerCase();

function isRow(line: string) {
  try {
    return !GEOJSON.has((JSON.parse(line) as { type: string }).type);
  } catch {
    return false;
  }
}
