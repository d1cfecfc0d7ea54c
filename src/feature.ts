/** The seam: what a feature may bring. `src/features.ts` lists the features; the core asks that list and knows no name. */
import type { Command } from 'commander';
import type { Response, Router } from 'express';
import type { Registry } from 'prom-client';
import type { TObject, TProperties } from 'typebox';
import type { Catalogue } from './catalogue/catalogue.ts';
import type { FoundKey } from './core/keys/key-store.ts';
import type { AnswerMember } from './core/http/answer-members.ts';
import type { RoutedFeature } from './core/http/routes.ts';
import type { Services } from './core/http/services.ts';
import type { PageMembers } from './core/http/pages.ts';
import type { OpenGeocoding } from './core/lookup/geocoding.ts';
import type { Opened, PartKey, Parts } from './core/parts/parts.ts';
import type { ReadArea } from './messages/lookup.ts';
import type { ClientConfig, Config, GivenClient, ReadSettings, SettingsRead } from './core/settings/config.ts';
import type { Environment, SettingsFile } from './core/settings/settings-reader.ts';
import type { ImportReaders, SourceFetcher } from './import/source-fetcher.ts';

/** A feature, as far as every process knows it. Commands and services load the rest when they need it. */
export interface Feature {
  /** As FEATURES names it. */
  readonly name: string;
  /** Reads the settings that are its own; `settingsOf` gives them. */
  readonly settings?: ReadSettings<unknown>;
  /** Settings that only its unit or its script reads, from the same files. */
  readonly scriptSettings?: readonly string[];
  readonly commands?: Commands;
  /** Checks files that its settings name, as a start does. The loaded function throws an Error that names the file and what is wrong with it. */
  readonly checkFiles?: () => Promise<CheckFiles>;
  /** Geocoders besides the embedded one: their names and its own, in the order in which its settings want them asked, and what asks them. */
  readonly geocoding?: { readonly order: ReadSettings<readonly string[]>; readonly open: () => Promise<OpenGeocoding> };
  /** What it fetches for imports. */
  readonly fetcher?: () => Promise<SourceFetcher>;
  /** What it keeps on the disk of customers, also where FEATURES leaves it out now. */
  readonly kept?: () => Promise<KeptData>;
  /** Reads the geometry of an area: with it, rows of files may be areas. */
  readonly readArea?: () => Promise<ReadArea>;
  /** A member of answers for which commands that look up files ask without a server. */
  readonly rowMember?: () => Promise<RowMember>;
  /** What it brings to a running service; absent: nothing. */
  readonly load?: () => Promise<ServedFeature>;
}

export interface RowMember {
  /** Its name is that of the parameter: `--rules <IDS>`, and what the help says of it. */
  readonly option: readonly [flags: string, description: string];
  readonly member: AnswerMember;
  /** Opens what the reading of the parameter needs. @throws Error that names a file and what is wrong with it. */
  readonly parts: (config: Config, catalogue: Catalogue) => Parts;
}

export type CheckFiles = (config: Config) => void;
type CheckAllFiles = (config: Config) => Promise<void>;

/** Somebody who asks what is kept, or to be forgotten. */
export interface DataHolder {
  /** Null: a key without a customer. */
  readonly customer: string | null;
  readonly keyIds: readonly string[];
}

/** What a feature keeps of customers in the data folder. */
export interface KeptData {
  /** In words, in the plural. */
  readonly noun: string;
  /** Objects with one member each, whose name says what it is. */
  readonly read: (dataDir: string, holder: DataHolder) => Iterable<object>;
  /** Why it cannot be forgotten yet; null: it can. */
  readonly cannotForget?: (dataDir: string, holder: DataHolder) => string | null;
  /** Returns how many were removed. */
  readonly forget: (dataDir: string, holder: DataHolder) => Promise<number>;
}

/** Commands by the names of what begins them; each is loaded only for itself or for the help. */
export type Commands = Readonly<
  Record<
    string,
    () => Promise<{
      /** Adds commands, also to one that another module has added under that name. */
      register(program: Command, readers: Readers): void | Promise<void>;
    }>
  >
>;

/** Reads what a command needs to know. */
export interface Readers extends ImportReaders {
  /** The same for a command that makes no data folder. @throws Error that names the folder when it is not there. */
  readonly configOfData: () => Config;
  readonly client: (given: GivenClient) => ClientConfig;
  /** Reads settings and says all that is wrong with them; they need not be this process's own. */
  readonly settings: (env?: Environment, file?: SettingsFile | null) => SettingsRead;
  /** Checks files that settings of features name. @throws Error that names the file and what is wrong with it. */
  readonly checkFiles: CheckAllFiles;
  /** What features keep of customers, also those that FEATURES leaves out. */
  readonly kept: () => Promise<readonly KeptData[]>;
  /** What asks the geocoders of the features in service. */
  readonly geocoding: () => Promise<OpenGeocoding>;
  /** Null: no feature in service looks up areas. */
  readonly readArea: () => Promise<ReadArea | null>;
  /** What files can be asked for besides, by the features in service. */
  readonly rowMembers: () => Promise<readonly RowMember[]>;
}

/** What a feature brings to a running service. */
export interface ServedFeature extends RoutedFeature {
  /** Tools for agents. */
  readonly tools?: readonly Tool[];
  /** What the page must know of it before its first answer. */
  readonly page?: (services: Services) => PageMembers;
  readonly part?: ReturnType<typeof partOf>;
  /** Members of what the holder of a key sees of it. @throws AppError DB_ERROR. */
  readonly account?: (services: Services, key: FoundKey) => Promise<object>;
  /** Routes of the admin port. */
  readonly admin?: (services: Services) => Router;
  /** Once a service is open: makes its metrics. */
  readonly measure?: (metrics: Registry, services: Services) => void;
  /** Once the service listens. @param url for example `http://127.0.0.1:8080`. */
  readonly listens?: (services: Services, url: string) => void;
  /** What the log says of it once the service answers. */
  readonly serving?: (services: Services) => object;
  /** When the service begins to stop: takes no new work in the background. */
  readonly stop?: (services: Services) => void;
}

/** Keeps a key and what is opened for it of one type. `open` may listen to events; `opened` takes what must be closed. */
export function partOf<Part>(
  key: PartKey<Part>,
  open: (services: Services, opened: Opened, features: readonly ServedFeature[]) => Part | Promise<Part>,
): {
  readonly key: PartKey<unknown>;
  readonly open: (services: Services, opened: Opened, features: readonly ServedFeature[]) => Promise<unknown>;
} {
  return { key, open: async (...given) => open(...given) };
}

/** The request in which a tool is called. */
export interface ToolCall {
  readonly services: Services;
  readonly res: Response;
}

/** A tool for agents: what they read of it, and what it does. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: TObject;
  /** Members of the answer; each answer has its attribution besides. */
  readonly output: TProperties;
  /** True: it tells nothing of a place, so anybody may call it, and its calls count as messages that look nothing up. */
  readonly isFree?: boolean;
  /** True: it also takes the arguments of members that features add to answers, and its answers have them. */
  readonly takesMembers?: boolean;
  /**
   * Returns what makes the answer: with its texts cut to a length in characters, because an answer has a largest size.
   * @throws AppError.
   */
  readonly run: (args: unknown, call: ToolCall) => ComposeAnswer | Promise<ComposeAnswer>;
  /**
   * Of a tool whose arguments may be large: reads them, and returns what does the rest of `run`. They need not be held until then.
   * @throws AppError.
   */
  readonly prepare?: (args: unknown, call: ToolCall) => RunTool;
}

export type RunTool = () => ComposeAnswer | Promise<ComposeAnswer>;

export type ComposeAnswer = (longest: number) => object;
