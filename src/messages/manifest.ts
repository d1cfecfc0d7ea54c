import type { Beside } from '../catalogue/side-tables.ts';
import type { WordCounts } from '../catalogue/known-words.ts';
import { laterFormat } from './stores.ts';
import { fileTime } from './time.ts';

/** `manifest.json` of a snapshot (docs/architecture.md). */
export interface SnapshotManifest {
  readonly format: 1;
  readonly id: string;
  /** UTC, ISO 8601. */
  readonly createdAt: string;
  /** True when any part of it is the bundled invented sample. */
  readonly sample: boolean;
  /** SHA-256 of the layer definitions that the snapshot was built with. */
  readonly definitions: string;
  readonly checksum: { readonly file: 'land.gpkg'; readonly sha256: string; readonly bytes: number };
  /** By data set id. */
  readonly dataSets: Readonly<Record<string, DataSetRecord>>;
  readonly gazetteer: GazetteerRecord | null;
  /** The cell index; null when the snapshot has none: then the reference path reads the snapshot. */
  readonly cells: { readonly format: number; readonly leaves: number } | null;
}

/** A snapshot on the disk. */
export interface StoredSnapshot {
  readonly id: string;
  readonly dir: string;
  readonly manifest: SnapshotManifest;
}

/** The folder of a snapshot that is being built, and the snapshot in service, whose content the new one begins with. */
export interface BuildingFolder {
  readonly folder: string;
  readonly current: StoredSnapshot | null;
  /** Free disk that the import leaves. */
  readonly minFreeBytes: number;
}

/** How the `asOf` date of a data set was found. */
export type AsOfSource =
  | 'source manifest'
  | 'source edit date'
  | 'newest effective date'
  | 'newest change date'
  | 'file date'
  | 'download date'
  | 'statement of the source';

/** One imported data set. */
export interface DataSetRecord {
  readonly title: string;
  readonly publisher: string;
  readonly licence: string;
  readonly attribution: string;
  /** YYYY-MM-DD. */
  readonly asOf: string;
  readonly asOfFrom: AsOfSource;
  /** The last day that the data tell of (YYYY-MM-DD), where their source says so. */
  readonly sourceUntil?: string;
  /** Base names of the files it was read from. */
  readonly files: readonly string[];
  /**
   * Area in which the data set knows the answer. `province`: everywhere. `features`: only inside its own features.
   * `area`: only inside its polygons in the coverage table.
   */
  readonly coverage: 'province' | 'features' | 'area';
  /** Attribute columns of the feature table. A definition's field that is not here reads as null. */
  readonly fields: readonly string[];
  readonly featureCount: number;
  /** Numbers of features that do not count, in tables of their own. */
  readonly beside?: Beside;
  /** Field -> word that no definition knows -> number of features that have it. */
  readonly unknownWords?: WordCounts;
  /** Field -> word that chooses features for an answer -> number of features that have it. */
  readonly filterWords?: WordCounts;
  /** Field -> number of features whose text was not valid in its encoding; it reads as null. */
  readonly unreadableTexts?: Readonly<Record<string, number>>;
  /** Identifies the rules by which features counted; absent when there were none. */
  readonly countedBy?: string;
  /** Number of features by address, when a data set is composed of several publishers' layers. */
  readonly parts?: Readonly<Record<string, number>>;
  readonly vertexCount: number;
  /** Number of geometries that were invalid and were repaired. */
  readonly repaired: number;
  /** Reason -> number of source features left out. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly sample: boolean;
  readonly importedAt: string;
  /**
   * Identifies the downloaded content and how it was read. While it stays the same, a refresh need not read the content
   * again.
   */
  readonly origin?: string;
  /** SHA-256 of its features in their order and of the area that it knows, as imported. Data sets of earlier versions lack it. */
  readonly content?: string;
  /** Reasons why preferred sources were not used. */
  readonly notUsed?: readonly string[];
  /** Parts that were left out: in their areas nothing is known. */
  readonly refused?: readonly NotedPart[];
  /** Parts in use whose area could not be taken from where its definition says, so that it is that of the last import. */
  readonly keptAreas?: readonly (NotedPart & {
    /** True where more land was claimed than is proved; false where there is no area any more to take it from. */
    readonly isUnproved: boolean;
  })[];
  /** Parts whose server is silent since then (UTC, ISO 8601): their features are those of an earlier import, the others' are not. */
  readonly keptParts?: readonly (NotedPart & { readonly since: string })[];
  /** Attempts to refresh the data set, or its `keptParts`, have failed since then (UTC, ISO 8601), so these are the last good data. */
  readonly refreshFailed?: { readonly since: string; readonly reason: string };
}

/** A part of a data set, and what is to be said of it. */
export interface NotedPart {
  readonly part: string;
  readonly reason: string;
}

/** The imported address register. */
export interface GazetteerRecord {
  readonly title: string;
  readonly publisher: string;
  readonly licence: string;
  readonly attribution: string;
  /** YYYY-MM-DD. */
  readonly asOf: string;
  /** Version of the address normaliser that wrote the keys; a reader refuses another. */
  readonly normaliser: number;
  readonly addressRows: number;
  readonly civicPoints: number;
  /** Number of points that contradict their neighbours and their postal code. */
  readonly outliers: number;
  readonly streets: number;
  /** Reason -> number of register rows left out. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly sample: boolean;
  readonly importedAt: string;
}

const idPattern = /^\d{8}T\d{6}Z-[0-9a-f]{12}$/;

/** Says whether the text is a snapshot's id, and therefore safe as a folder name. */
export function isSnapshotId(text: string): boolean {
  return idPattern.test(text);
}

/** `<UTC yyyymmddThhmmssZ>-<first 12 hex digits of the content's SHA-256>`. */
export function snapshotId(createdAt: Date, sha256: string): string {
  return `${fileTime(createdAt)}-${sha256.slice(0, 12)}`;
}

/** Begins the version of definitions, and tells it from others. */
export function markOfDefinitions(version: string): string {
  return version.slice(0, MARK_DIGITS);
}

/** Hexadecimal digits of the marks of what answers rest on. */
export const MARK_DIGITS = 8;

/** What an operator does about a snapshot in service that is damaged. */
export const REPAIR =
  'put another one into service ("land-lookup snapshot list", "land-lookup snapshot use"), or delete the link "current" and import everything again';

/** @param where names the text in the error. @throws Error when the manifest is not JSON or has another format. */
export function parseManifest(text: string, where: string): SnapshotManifest {
  const manifest = parseObject(text, where) as SnapshotManifest;
  // Another program version wrote another format: this version does not know what its fields mean.
  if ((manifest.format as number) > 1) throw new Error(laterFormat(where, manifest.format, 1));
  if ((manifest.format as number) !== 1) throw new Error(`${where} has the format ${manifest.format}, not 1`);
  if (!isObject(manifest.dataSets)) throw new Error(`${where} is damaged: it has no data sets`);
  return manifest;
}

function parseObject(text: string, where: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // The same as another value.
  }
  throw new Error(`${where} is damaged: it is no JSON object`);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
