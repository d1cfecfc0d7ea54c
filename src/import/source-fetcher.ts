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

export interface SourceFetcher {
  /** Adds what `FetchOptions` needs to `load-layers`. */
  readonly addOptions: (loadLayers: Command) => void;
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
