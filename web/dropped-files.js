/** Files that are dropped anywhere on the page, or chosen: each goes where its content belongs. */
import { input } from './dom.js';

/** The beginning of a file that tells what it is. */
const HEAD_BYTES = 64 * 1024;

const GEOJSON = new Set([
  ...['FeatureCollection', 'Feature', 'GeometryCollection', 'Polygon', 'MultiPolygon'],
  ...['Point', 'MultiPoint', 'LineString', 'MultiLineString'],
]);

/**
 * @param {{ parcel: (file: File) => void, places: (file: File) => void }} takers
 */
export function takeFiles({ parcel, places }) {
  const take = async (/** @type {File | null | undefined} */ file) => {
    if (!file) return;
    const head = await file.slice(0, HEAD_BYTES).text();
    if (kindOf(file.name, head) === 'parcel') parcel(file);
    else places(file);
  };
  for (const id of ['parcel-file', 'batch-file'])
    input(id).addEventListener('change', () => void take(input(id).files?.[0]));
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

/**
 * Recognises a file by its name, otherwise by its beginning: NDJSON has a whole object in its first line, which is no GeoJSON.
 * @param {string} name
 * @param {string} head
 * @returns {'parcel' | 'places'}
 */
export function kindOf(name, head) {
  if (/\.(csv|ndjson|jsonl)$/i.test(name)) return 'places';
  const text = head.replace(/^\ufeff/, '').trimStart();
  if (text.startsWith('{')) return isRow(text.split(/\r?\n/, 1)[0] ?? '') ? 'places' : 'parcel';
  return /json$/i.test(name) || text.startsWith('[') ? 'parcel' : 'places';
}

/** @param {string} line */
function isRow(line) {
  try {
    return !GEOJSON.has(JSON.parse(line).type);
  } catch {
    return false;
  }
}
