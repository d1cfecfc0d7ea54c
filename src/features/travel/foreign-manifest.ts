import {
  type DataSetRecord,
  type GazetteerRecord,
  type SnapshotManifest,
  parseManifest,
} from '../../messages/manifest.ts';

/** Far above any file of the province. */
const MOST_BYTES = 256 * 1024 ** 3;

/** Data sets of a snapshot; the province has about 40. */
const MOST_DATA_SETS = 1000;

/**
 * Reads a manifest that another machine wrote. What this program builds a name, an address or a size from is checked here; the file itself is
 * compared with the manifest afterwards.
 * @throws Error when it is not the manifest of this snapshot, or a later version wrote it.
 */
export function parseForeignManifest(text: string, id: string): SnapshotManifest {
  const manifest = parseManifest(text, 'manifest.json');
  const wrong = wrongWith(manifest, id);
  if (wrong !== null) throw new Error(`manifest.json is not the one of a snapshot: ${wrong}`);
  return manifest;
}

function wrongWith(manifest: Unchecked, asked: string): string | null {
  const { createdAt, sample, definitions, gazetteer, cells } = manifest;
  if (manifest.id !== asked) return 'its id is another one';
  const wrong = wrongWithFile(record(manifest.checksum), asked) ?? wrongWithDataSets(record(manifest.dataSets));
  if (wrong !== null) return wrong;
  if (!isTime(createdAt) || typeof sample !== 'boolean' || !isText(definitions)) return 'its date or its kind';
  if (gazetteer !== null && !isGazetteer(record(gazetteer))) return 'its address register';
  const { format, leaves } = record(cells);
  return cells === null || (isCount(format) && isCount(leaves)) ? null : 'its cell index';
}

function wrongWithFile({ file, sha256, bytes }: Members, asked: string): string | null {
  if (file !== 'land.gpkg' || !isText(sha256) || !/^[0-9a-f]{64}$/.test(sha256)) return 'its checksum';
  if (!asked.endsWith(sha256.slice(0, 12))) return 'its id does not belong to its checksum';
  return isCount(bytes) && bytes > 0 && bytes <= MOST_BYTES ? null : 'its number of bytes';
}

function wrongWithDataSets(dataSets: Members): string | null {
  const entries = Object.entries(dataSets);
  if (entries.length > MOST_DATA_SETS) return 'its number of data sets';
  // Names of data sets are names of tables.
  const bad = entries.find(([name, one]) => !/^[A-Za-z_][\w-]{0,63}$/.test(name) || !isDataSet(record(one)));
  return bad ? `the data set ${JSON.stringify(bad[0].slice(0, 64))}` : null;
}

type Unchecked = Readonly<Record<keyof SnapshotManifest, unknown>>;
type Members = Readonly<Record<string, unknown>>;

function isDataSet(one: Partial<Record<keyof DataSetRecord, unknown>>): boolean {
  return (
    isDescribed(one) &&
    isText(one.asOfFrom) &&
    isTexts(one.files) &&
    isTexts(one.fields) &&
    arePartsNoted(one) &&
    ['province', 'features', 'area'].includes(String(one.coverage)) &&
    [one.featureCount, one.vertexCount, one.repaired].every(isCount) &&
    Object.values(record(one.dropped)).every(isCount)
  );
}

/** Parts of which the catalogue tells: left out, with an earlier area, or with the features of an earlier import. */
function arePartsNoted({ refused = [], keptAreas = [], keptParts = [] }: Members): boolean {
  return areNoted(refused) && areNoted(keptAreas) && areKept(keptParts);
}

function areNoted(parts: unknown): boolean {
  return Array.isArray(parts) && parts.map(record).every(({ part, reason }) => isText(part) && isText(reason));
}

function areKept(parts: unknown): boolean {
  return areNoted(parts) && (parts as readonly unknown[]).map(record).every(({ since }) => isTime(since));
}

function isGazetteer(one: Partial<Record<keyof GazetteerRecord, unknown>>): boolean {
  const counts = [one.normaliser, one.addressRows, one.civicPoints, one.outliers, one.streets];
  return isDescribed(one) && counts.every(isCount);
}

/** The members that data sets and the address register have in common. */
function isDescribed(one: Members): boolean {
  const { title, publisher, licence, attribution, asOf, sample, importedAt } = one;
  return (
    [title, publisher, licence, attribution].every(isText) &&
    isText(asOf) &&
    /^\d{4}-\d\d-\d\d$/.test(asOf) &&
    typeof sample === 'boolean' &&
    isTime(importedAt)
  );
}

/** Empty for what is no object. */
function record(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 10_000;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isTime(value: unknown): boolean {
  return isText(value) && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value));
}
