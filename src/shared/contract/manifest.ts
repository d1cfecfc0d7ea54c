/** `manifest.json` of a snapshot (architecture, section 4). */
export interface SnapshotManifest {
  readonly format: 1;
  readonly id: string;
  /** UTC, ISO 8601. */
  readonly createdAt: string;
  /** True when any part of it is the bundled hand-drawn sample. */
  readonly sample: boolean;
  /** SHA-256 over the layer definitions the snapshot was built with. */
  readonly definitions: string;
  readonly checksum: { readonly file: 'land.gpkg'; readonly sha256: string; readonly bytes: number };
  /** By data set id. */
  readonly dataSets: Readonly<Record<string, DataSetRecord>>;
  readonly gazetteer: GazetteerRecord | null;
  /** The cell index, null when the snapshot has none: it is then read by the reference path. */
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
}

/** How the `asOf` date of a data set was found. */
export type AsOfSource =
  | 'source manifest'
  | 'source edit date'
  | 'newest effective date'
  | 'newest change date'
  | 'file date'
  | 'download date';

/** One imported data set. */
export interface DataSetRecord {
  readonly title: string;
  readonly publisher: string;
  readonly licence: string;
  readonly attribution: string;
  /** YYYY-MM-DD. */
  readonly asOf: string;
  readonly asOfFrom: AsOfSource;
  /** Base names of the files it was read from. */
  readonly files: readonly string[];
  /**
   * Where the data set knows the answer. `province`: everywhere. `features`: inside its own features only.
   * `area`: inside its polygons of the coverage table only.
   */
  readonly coverage: 'province' | 'features' | 'area';
  /** Attribute columns of the feature table. A definition's field that is not here reads as null. */
  readonly fields: readonly string[];
  readonly featureCount: number;
  /** Features by address, where a data set is put together from several publishers' layers. */
  readonly parts?: Readonly<Record<string, number>>;
  readonly vertexCount: number;
  /** Geometries that were invalid and were made valid. */
  readonly repaired: number;
  /** Reason -> number of source features left out. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly sample: boolean;
  readonly importedAt: string;
  /** Names the downloaded content and how it was read: while it stays the same, a refresh need not read it again. */
  readonly origin?: string;
  /** Why sources that are preferred to these files were not used. */
  readonly notUsed?: readonly string[];
  /** Attempts to refresh the data set fail since then (UTC, ISO 8601), so this is the last good data. */
  readonly refreshFailed?: { readonly since: string; readonly reason: string };
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
  /** Points that their neighbours and their postal code contradict. */
  readonly outliers: number;
  readonly streets: number;
  /** Reason -> number of register rows left out. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly sample: boolean;
  readonly importedAt: string;
}
