/** What a file is, by its beginning and its name. */
import { markedEncoding } from '../shared/encoding.ts';
import { geojsonTypes, MOST_BYTES } from '../shared/geojson-input.ts';
import type { FileTexts } from '../texts/files.ts';

/** The beginning of a file that tells what it is. */
const HEAD_BYTES = 64 * 1024;

/** Who takes a file; otherwise a word of the texts that say what it is. */
export type Kind =
  | 'parcel'
  | 'places'
  | 'kml'
  | 'zip'
  | 'answer'
  | keyof (FileTexts['files'] & FileTexts['fileFaults']);

/** First characters of files, byte by byte, with what they are and their format. `zip`: what is in it says more. */
const magics: readonly (readonly [string, Kind, string?])[] = [
  ['PK\u0003\u0004', 'zip'],
  ['SQLite format 3\0', 'map', 'GeoPackage, SQLite'],
  ['\u00d0\u00cf\u0011\u00e0', 'spreadsheet'],
  ['\0\0\u0027\n', 'map', 'Shapefile'],
  ['fgb', 'map', 'FlatGeobuf'],
  ['PAR1', 'map', 'Parquet'],
  ['AC10', 'map', 'DWG'],
  ...['\u001f\u008b', '7z\u00bc\u00af', 'Rar!', 'BZh'].map((begin) => [begin, 'archive'] as const),
  ...['%PDF', '\u0089PNG', '\u00ff\u00d8\u00ff', 'GIF8', 'II*\0', 'MM\0*'].map((begin) => [begin, 'other'] as const),
];

/** Endings of names, for what its beginning does not tell. */
const endings = {
  notXml: 'kml',
  map: 'kmz gpx gml shp shx dbf prj gpkg gdb dxf dwg tab mif',
  archive: 'zip 7z rar gz tar',
  spreadsheet: 'xls xlsx xlsm ods numbers',
  other: 'pdf doc docx odt jpg jpeg png tif tiff',
};

/** `format`: of a map. */
export type Found = { file: File; kind: Kind; format?: string | undefined };

/** Returns the one of some files that is to be read, with what it is; null: there is none. */
export async function fileIn(files: readonly File[]): Promise<Found | null> {
  // A Shapefile comes with others beside it.
  const file = files.find(({ name }) => kindOfName(name) === 'map') ?? files[0];
  if (!file) return null;
  const head = await file
    .slice(0, HEAD_BYTES)
    .arrayBuffer()
    .catch(() => null);
  if (head === null) return { file, kind: 'unreadable' };
  const bytes = new Uint8Array(head);
  const magic = new TextDecoder('latin1').decode(bytes.subarray(0, 16));
  const kind = kindOf(file.name, new TextDecoder(markedEncoding(bytes) ?? 'utf-8').decode(bytes), magic);
  const isSeveral = files.length > 1 && kind !== 'map';
  return { file, kind: isSeveral ? 'several' : kindBySize(file, kind), format: magicOf(magic)?.[2] };
}

/** Files of places are read in pieces, and a KMZ when it is unpacked. */
function kindBySize({ name, size }: File, kind: Kind): Kind {
  if (size === 0) return 'empty';
  if (size <= MOST_BYTES || (kind !== 'parcel' && kind !== 'kml')) return kind;
  return /\.(ndjson|jsonl)$/i.test(name) ? 'places' : 'tooLarge';
}

const magicOf = (magic: string) => magics.find(([begin]) => magic.startsWith(begin));

/** The beginning of an answer of ours: no row of places has layers. */
const ANSWER = /^\{\s*"(address|lat|areaM2)"[^]*"layers"\s*:\s*\{/;

/**
 * Recognises a file by its beginning, and by its name where that does not tell: NDJSON has a whole object in its first line, which is no GeoJSON.
 * `magic`: its first bytes, each as a character.
 */
export function kindOf(name: string, head: string, magic = head): Kind {
  const named = kindOfName(name);
  const [, found] = magicOf(magic) ?? [];
  const isDocument = named === 'spreadsheet' || named === 'other';
  // Documents of Office are zip files, or begin like an old workbook.
  if (isDocument && (!found || found === 'zip' || found === 'spreadsheet')) return named;
  return found ?? kindOfText(name, head.trimStart(), named);
}

function kindOfText(name: string, text: string, named: Kind | null): Kind {
  if (text.startsWith('<')) return kindOfXml(text) ?? named ?? 'map';
  if (text.startsWith('version https://git-lfs')) return 'pointer';
  if (ROWS.test(name)) return AS_GEOJSON.test(text) ? 'parcel' : 'places';
  if (named) return named;
  // A sign of its own stands before each object of RFC 8142.
  if (['{', '\u001e'].includes(text.charAt(0))) return kindOfObject(text);
  if (text.includes('\0')) return 'other';
  return /json$/i.test(name) || text.startsWith('[') ? 'parcel' : 'places';
}

const ROWS = /\.(csv|tsv|ndjson|jsonl)$/i;

/** As programs for maps begin GeoJSON; no row of places has such a type. */
const AS_GEOJSON = new RegExp(`^\\{\\s*"type"\\s*:\\s*"(?:${[...geojsonTypes].join('|')})"`);

function kindOfName(name: string) {
  const ending = endingOf(name);
  return (Object.entries(endings).find(([, known]) => known.split(' ').includes(ending))?.[0] ?? null) as Kind | null;
}

/** Null: XML of a kind that the page does not know. A workbook can be XML, too. */
function kindOfXml(text: string): Kind | null {
  if (/^<(!doctype )?html\b/i.test(text)) return 'webpage';
  if (/<(\w+:)?kml\b/.test(text)) return 'kml';
  return /<Workbook\b/.test(text) ? 'spreadsheet' : null;
}

/** What maps as other JSON have, and refusals of their servers. */
const OF_SERVERS = ['features', 'objects', 'error'];

function kindOfObject(text: string): Kind {
  if (ANSWER.test(text)) return 'answer';
  return isRow(text.split(/\r?\n/, 1)[0] ?? '') ? 'places' : 'parcel';
}

export const endingOf = (name: string) => (/\.(\w+)$/.exec(name)?.[1] ?? '').toLowerCase();

function isRow(line: string) {
  try {
    const row = JSON.parse(line) as { type?: string };
    return !geojsonTypes.has(row.type) && !OF_SERVERS.some((name) => name in row);
  } catch {
    return false;
  }
}
