import type { DataSetRecord, GazetteerRecord } from './manifest.ts';

/** What crosses from a command to the worker `import-layers`. */
export type ImportLayersTask =
  | {
      readonly kind: 'import';
      readonly dataDir: string;
      readonly layersDir: string;
      /** Folder that holds `sources.json`. */
      readonly from: string;
      /** Data sets to import; all of the manifest when null. */
      readonly only: readonly string[] | null;
      /** Publish although some data sets failed. */
      readonly partial: boolean;
    }
  | { readonly kind: 'verify'; readonly folder: string };

/** What crosses from a command to the worker `import-addresses`. */
export interface ImportAddressesTask {
  readonly dataDir: string;
  readonly layersDir: string;
  /** Register folder with `Addresses/` and `Locations/`, a zip file that holds them, or the zip file's URL. */
  readonly from: string;
  /** The register's date, YYYY-MM-DD; null: the newest file's. */
  readonly asOf: string | null;
  readonly sample: boolean;
}

/** Posted by an import worker while it works. */
export type ImportProgress =
  | { readonly kind: 'step'; readonly text: string }
  | {
      readonly kind: 'rows';
      /** What is read: a data set, or a part of the register. */
      readonly name: string;
      readonly unit: 'rows' | 'bytes';
      readonly done: number;
      /** Null when it is not known beforehand. */
      readonly total: number | null;
    };

/** What became of one data set of an import. */
export type DataSetOutcome = {
  readonly id: string;
  readonly seconds: number;
  /** Features of the last snapshot, null when it had none. */
  readonly previousCount: number | null;
} & (
  | { readonly status: 'imported'; readonly record: DataSetRecord }
  | { readonly status: 'failed'; readonly error: string }
);

export interface ImportLayersResult {
  /** Null when nothing was published. */
  readonly snapshot: string | null;
  readonly outcomes: readonly DataSetOutcome[];
  /** Data sets of the last snapshot that the published one keeps. */
  readonly kept: readonly string[];
}

export interface ImportAddressesResult {
  readonly snapshot: string;
  readonly record: GazetteerRecord;
}
