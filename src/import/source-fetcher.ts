/** What fetches sources for an import from where they are published: a feature may bring it. Without one, files are imported. */
import type { Command } from 'commander';
import type { DefinitionFolders } from '../catalogue/read/read-definitions.ts';
import type { RetryPolicy } from '../core/outbound/retry.ts';
import type { Config } from '../core/settings/config.ts';
import type { Output, ProgressDisplay } from '../core/terminal/progress-display.ts';
import type { ImportInput } from '../messages/import.ts';

/** Settings of an import. Without `minFreeDiskBytes` it may fill the disk. */
export type ImportConfig = Pick<Config, 'dataDir'> & DefinitionFolders & Partial<Pick<Config, 'minFreeDiskBytes'>>;

/** What an import needs of the readers that commands get. */
export interface ImportReaders {
  readonly config: () => Config;
  /** Null: what fetches is left out. */
  readonly fetcher: () => Promise<SourceFetcher | null>;
}

/** What `load-layers` is told about servers. */
export interface FetchOptions {
  /** Data set ids, or keys of layers. */
  readonly only?: readonly string[];
  /** Ask every source, say what an import would do, and stop. */
  readonly check?: boolean;
  /** Root of the services, instead of the province's. */
  readonly server?: string;
  /** Root of the packages, instead of the province's; with another server and without this, no packages are fetched. */
  readonly packages?: string;
  /** `DATA_SET=SERVICE/ID`, instead of the layers in the definitions. */
  readonly layerId?: readonly string[];
  /** Attempts and pauses when a server fails. */
  readonly retry?: RetryPolicy;
  /** Time that a server may be silent in the middle of an answer. */
  readonly idleMs?: number;
}

export type Downloads = Extract<ImportInput, { kind: 'downloads' }>;

export interface Shown {
  readonly output: Output;
  readonly display: ProgressDisplay;
}

/** What a source of a data set, or a part of one, showed when it was asked without fetching it. Texts are as its server has them. */
export interface SourceCheck {
  readonly dataSet: string;
  /** Names it within the data set, also when its server or its layer's id changes. */
  readonly source: string;
  /**
   * `gone`: the server no longer has it, or not for everybody. `silent`: there was no answer to go by. `names`, `control`: it differs from its definition
   * in names, or at a control point. `empty`: it has no features.
   */
  readonly state: 'answers' | 'gone' | 'empty' | 'silent' | 'names' | 'control';
  /** Null when it answers. */
  readonly error: string | null;
  /** Where its server sent the request; null: nowhere. */
  readonly movedTo: string | null;
  /** YYYY-MM-DD: when its publisher last changed it, where the server says so. */
  readonly editedOn: string | null;
  /** Null for a file, and without an answer. */
  readonly layer: LayerFacts | null;
}

/** A layer at its server. */
export interface LayerFacts {
  readonly id: number;
  readonly name: string;
  /** False: the definition has other names, and it was taken for its id. */
  readonly isNamed: boolean;
  readonly featureCount: number;
  /** Optional fields of the definition that it lacks. */
  readonly missingFields: readonly string[];
  /** In words, from a sample. */
  readonly unknownWords: readonly string[];
  /** The values of the definition's `fixedList`; null: it has none. */
  readonly list: readonly string[] | null;
}

export interface SourceFetcher {
  /** Adds what `FetchOptions` needs to `load-layers`. */
  readonly addOptions: (loadLayers: Command) => void;
  /** Asks every source of every data set. A source that fails does not stop the others. */
  readonly check: (
    config: ImportConfig,
    options: FetchOptions,
    display: ProgressDisplay,
  ) => Promise<readonly SourceCheck[]>;
  /**
   * Fetches data sets, each as far as possible, and returns the exit code: that of `take`, which imports them, or that of a check.
   * @throws Error when a key is not known, or somebody else is fetching.
   */
  readonly layers: (
    config: ImportConfig,
    options: FetchOptions,
    shown: Shown,
    take: (downloads: Downloads) => Promise<number>,
  ) => Promise<number>;
  /** Fetches Ontario's part of the address register. What has arrived stays until `take` has imported it, for the next attempt. */
  readonly register: <T>(
    url: string,
    config: { readonly dataDir: string; readonly minFreeBytes: number; readonly display: ProgressDisplay },
    take: (folder: string) => Promise<T>,
  ) => Promise<T>;
}

/** @throws Error where nothing fetches. @param files which files to give instead. */
export function requireFetcher(fetcher: SourceFetcher | null, files: string): SourceFetcher {
  if (fetcher !== null) return fetcher;
  throw new Error(
    `FEATURES leaves out "download", which fetches data: give files with ${files}, or add it to FEATURES`,
  );
}
