import type { Catalogue } from '../catalogue/catalogue.ts';
import type { DataSetDefinition } from '../catalogue/definition.ts';
import type { BuildingFolder, DataSetRecord, GazetteerRecord, SnapshotManifest } from './manifest.ts';
import { join } from 'node:path';

/** Task from a command to the worker `import-layers`. */
export type ImportLayersTask =
  | {
      readonly kind: 'import';
      readonly building: BuildingFolder;
      readonly catalogue: Catalogue;
      readonly input: ImportInput;
      /** Publish even if some data sets failed. */
      readonly partial: boolean;
      /** Accept a data set that lost more than 5 % of its features, or has more than 5 % outside Ontario. */
      readonly force: boolean;
      /** Accept another list of names where the definition says that the list is fixed. */
      readonly acceptNames?: boolean;
    }
  | InspectTask
  | {
      readonly kind: 'verify';
      readonly folder: string;
      /** Another machine made it: its file is checked before GDAL opens it. */
      readonly isForeign?: boolean;
    };

/**
 * Task that compares a downloaded file with the definition of its data set, so that the next source can replace a file
 * that does not fit.
 */
export interface InspectTask {
  readonly kind: 'inspect';
  readonly definition: DataSetDefinition;
  readonly file: DownloadedFile;
  /** Free disk that the check leaves when it unpacks the file. */
  readonly minFreeBytes: number;
}

export interface FileInspection {
  /** Why the file cannot be imported; null when it can. */
  readonly problem: string | null;
  /** True when the file is damaged; another download may be whole. */
  readonly isDamaged: boolean;
}

export type ImportInput =
  | {
      readonly kind: 'folder';
      /** Folder that holds `sources.json`. */
      readonly from: string;
      /** Data sets to import; null: all of the manifest. */
      readonly only: readonly string[] | null;
    }
  | {
      readonly kind: 'downloads';
      readonly dataSets: readonly DownloadedDataSet[];
      /** Data sets that could not be downloaded. */
      readonly failures: readonly { readonly id: string; readonly error: string }[];
    };

/** A data set whose sources are on the disk. */
export interface DownloadedDataSet {
  readonly id: string;
  readonly sources: readonly DownloadedSource[];
  /**
   * Area in which its parts know the answer: the union of their areas, empty when all of them are positive only; null when the definition states it for
   * the whole data set.
   */
  readonly coverage: { readonly claims: readonly AreaClaim[] } | null;
  readonly attribution: string;
  /** Remarks of the report on how its sources were found. */
  readonly remarks: readonly string[];
  /** As in `DataSetRecord`. */
  readonly origin: string | null;
  /** Reasons why preferred sources were not used. */
  readonly notUsed: readonly string[];
  readonly refused: readonly RefusedPart[];
  /** Day of the publisher's last edit, YYYY-MM-DD; null when unknown. */
  readonly editedOn: string | null;
  /** Date of the file, for data that carries no date itself. */
  readonly filedOn: string | null;
  /** YYYY-MM-DD. */
  readonly downloadedOn: string;
}

/** The area in which finding nothing in a part means "no": from an authority's area, or from a layer of its own. */
export interface AreaClaim {
  /** Of the part, as reports call it. */
  readonly part: string;
  /** Address of the part's layer of features. */
  readonly address: string;
  /** Name or number of a conservation authority; null: the area is a layer. */
  readonly authority: string | null;
  readonly layer: DownloadedLayer | null;
  /** Places, longitude first, that are known to be inside the part's features, where its service has answered so. */
  readonly inside: readonly (readonly [lon: number, lat: number])[];
}

/** A part of a composite source that is not used. */
export interface RefusedPart {
  readonly name: string;
  /** Of its service. */
  readonly address: string;
  /** That its licence demands; null when the definition has none. */
  readonly attribution: string | null;
  readonly reason: string;
  /** The server did not answer, so nothing is known of its data. */
  readonly isSilent: boolean;
}

export type DownloadedLayer = Extract<DownloadedSource, { kind: 'chunks' }>;

export type DownloadedSource =
  | {
      readonly kind: 'chunks';
      /** Of the layer. */
      readonly name: string;
      readonly folder: string;
      readonly chunkCount: number;
      readonly featureCount: number;
      /** Of the coordinates: `EPSG:4269`, or WKT. */
      readonly crs: string;
      /** Attributes that every feature has. */
      readonly fields: readonly string[];
      readonly rename: Readonly<Record<string, string>>;
      /** The definition's field -> its value for every feature. */
      readonly constants: Readonly<Record<string, string>>;
    }
  | DownloadedFile;

export interface DownloadedFile {
  readonly kind: 'file';
  /** Its address. */
  readonly name: string;
  readonly path: string;
  /** Names that the layer may have, of which the first that exists is read; null: the only layer. */
  readonly layer: readonly string[] | null;
  readonly where: string | null;
  readonly crs: string | null;
  readonly rename: Readonly<Record<string, string>>;
  /** Date fields; the first one that the file has gives the date of the data. */
  readonly dateFields: readonly string[];
  /** True when the checksums inside a zip file were already compared. */
  readonly isChecked: boolean;
}

/** Task from a command to the worker `import-addresses`. */
export interface ImportAddressesTask {
  readonly building: BuildingFolder;
  /** `Catalogue.version`, for a snapshot that begins with the addresses. */
  readonly definitions: string;
  /** Register folder with `Addresses/` and `Locations/`, or a zip file that holds them. */
  readonly from: string;
  /** The register's date, YYYY-MM-DD; null: the newest file's. */
  readonly asOf: string | null;
  readonly sample: boolean;
  /** Accepts a register that has far fewer addresses than that of the snapshot in service. */
  readonly force: boolean;
}

/** Progress that an import worker posts. */
export type ImportProgress =
  | { readonly kind: 'step'; readonly text: string }
  | {
      readonly kind: 'rows';
      /** The data set or the part of the register that is read. */
      readonly name: string;
      readonly unit: 'rows' | 'bytes';
      readonly done: number;
      /** Null when it is not known beforehand. */
      readonly total: number | null;
      /** The part of `done` that was there before; it does not count for the speed. */
      readonly found?: number;
      /** Bytes that came over the network. */
      readonly bytes?: number;
      /** All data sets together. */
      readonly overall?: {
        readonly unit: 'rows' | 'bytes';
        readonly done: number;
        readonly total: number;
        readonly found: number;
        readonly bytes?: number;
      };
    };

/** Result of an import for one data set. */
export type DataSetOutcome = {
  readonly id: string;
  readonly seconds: number;
  /** Number of features in the last snapshot; null when the data set was not in it. */
  readonly previousCount: number | null;
} & (
  | { readonly status: 'imported'; readonly record: DataSetRecord }
  | { readonly status: 'unchanged'; readonly record: DataSetRecord }
  | { readonly status: 'failed'; readonly error: string }
);

export interface ImportLayersResult {
  /** Of the snapshot that was built; null when there is nothing to publish. */
  readonly manifest: SnapshotManifest | null;
  readonly outcomes: readonly DataSetOutcome[];
  /** Data sets of the last snapshot that the published one keeps. */
  readonly kept: readonly string[];
}

export interface ImportAddressesResult {
  readonly manifest: SnapshotManifest;
  readonly record: GazetteerRecord;
}

/** One feature as stored on the disk: attributes by field name, geometry in GeoJSON's form in the layer's own CRS. */
export interface DownloadedFeature {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly geometry: GeoJsonGeometry | null;
}

export type Position = readonly number[];

export type GeoJsonGeometry =
  | { readonly type: 'Point'; readonly coordinates: Position }
  | { readonly type: 'LineString'; readonly coordinates: readonly Position[] }
  | { readonly type: 'Polygon'; readonly coordinates: readonly (readonly Position[])[] }
  | { readonly type: 'MultiPoint'; readonly coordinates: readonly Position[] }
  | { readonly type: 'MultiLineString'; readonly coordinates: readonly (readonly Position[])[] }
  | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly (readonly Position[])[])[] };

/** Returns the file of the n-th chunk of a download: lines of features as JSON, compressed with gzip. */
export function chunkFile(folder: string, chunk: number): string {
  return join(folder, `${String(chunk).padStart(5, '0')}.ndjson.gz`);
}

/** Field with a record's date of validity. If a layer has it, its newest value is the date of the data set. */
export const effectiveField = 'EFFECTIVE_DATETIME';

/** Date fields of the province's data, the best first; the others say when a record was changed. */
export const dateFields = [effectiveField, 'GEOMETRY_UPDATE_DATETIME', 'SYSTEM_DATETIME'] as const;

/** The register's number of the province, in its file names and in `PROV_CODE`. */
export const ONTARIO = '35';

/** Kinds of the register's files, by the folder that each kind stands in. */
export const registerFolders = { Address: 'Addresses', Location: 'Locations' } as const;

export type RegisterFileKind = keyof typeof registerFolders;

/** "Address_35_part_1.csv", "Address_35.csv". */
export function isOntarioFile(name: string, kind: RegisterFileKind): boolean {
  return new RegExp(`^${kind}_${ONTARIO}(_part_\\d+)?\\.csv$`, 'i').test(name);
}

/**
 * Checks that the files of one kind are those of one release, and all of them.
 * @param place the folder or zip file, for errors.
 * @param names base names, all of them `isOntarioFile`.
 * @throws Error when one stands there twice, a part is missing between others, or an undivided file is beside parts.
 */
export function checkParts(place: string, names: readonly string[], kind: RegisterFileKind): void {
  const parts = names.map((name) => Number(/_part_(\d+)\./i.exec(name)?.[1] ?? 0)).toSorted((a, b) => a - b);
  const isDouble = parts.some((part, i) => i > 0 && part === parts[i - 1]);
  if (isDouble || (parts[0] === 0 && parts.length > 1))
    throw new Error(`${place} has files of several releases (${names.join(', ')}): give the files of one alone`);
  const missing = parts.findIndex((part, i) => parts[0] !== 0 && part !== i + 1);
  if (missing >= 0)
    throw new Error(`${place} lacks ${kind}_${ONTARIO}_part_${missing + 1}.csv: fetch the register again`);
}
