/** A kind of document. Documents are JSON; `T` is what they are when they are read. */
export interface Collection<T> {
  readonly name: string;
  /** Adds what documents of earlier versions lack; missing: nothing. */
  readonly complete?: (stored: T) => T;
  /** Values by which a document is found. Each belongs to one document alone. */
  readonly unique?: { readonly name: string; readonly of: (document: T) => readonly string[] };
  /** Documents with which something is left to do: they can be listed without reading the others. */
  readonly open?: { readonly name: string; readonly has: (document: T) => boolean };
}

/** What becomes of a document: another one, with an entry for the log, or none. Null: there is nothing to change. */
export type Change<T> = { readonly record: T; readonly audit?: object } | 'remove' | null;

/** Reads a document that a change of another one depends on; null: there is none. */
export type Reading = <T>(collection: Collection<T>, id: string) => Promise<T | null>;

/** Which documents of a collection; empty: all. */
export interface Which {
  /** Those whose member `customer` is this one. */
  readonly customer?: string;
  readonly open?: true;
}

/**
 * Documents that are changed one at a time, by comparing with what was read. One implementation is for the processes of a machine (SQLite), one
 * for several machines (Redis); the tests run on both.
 */
export interface Documents extends AsyncDisposable {
  get<T>(collection: Collection<T>, id: string): Promise<T | null>;
  /** Finds the document that has a unique value. */
  find<T>(collection: Collection<T>, value: string): Promise<T | null>;
  /** In any order. */
  list<T>(collection: Collection<T>, which?: Which): Promise<T[]>;
  /**
   * Changes a document without another change in between, and writes the entry of the log with it. `change` may be called several times; what it
   * throws ends the work. @returns the document as it is then; null when there is none.
   * @throws Error when a unique value belongs to another document.
   */
  update<T>(collection: Collection<T>, id: string, change: (before: T | null) => Change<T>): Promise<T | null>;
  /**
   * Does the same with a change that depends on other documents: it is written only while those that `prepare` has read are as it read them. `prepare` may be
   * called several times too.
   */
  updateAfter<T>(
    collection: Collection<T>,
    id: string,
    prepare: (read: Reading) => Promise<(before: T | null) => Change<T>>,
  ): Promise<T | null>;
  /** The entries of the log, oldest first. */
  log(): Promise<readonly object[]>;
  /** Puts others in the place of entries of the log; null: it stays. Returns how many it replaced. */
  rewriteLog(change: (entry: object) => object | null): Promise<number>;
  /** Lets nothing stay in the store's own files of what was replaced or removed. @throws Error when another process keeps that from being done. */
  scrub(): Promise<void>;
  /** Stores texts by name, unless a greater one is stored under it. */
  raise(group: string, texts: ReadonlyMap<string, string>): Promise<void>;
  /** Those texts: all, or some. */
  raised(group: string, names?: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Reads the text of a document. */
export function parseDocument<T>({ complete }: Collection<T>, text: string): T {
  const stored = JSON.parse(text) as T;
  return complete ? complete(stored) : stored;
}

/** Attempts to make a change while other processes change what it depends on. */
export const ATTEMPTS = 10;

export function isContended<T>({ name }: Collection<T>, id: string): Error {
  return new Error(`${id} of the ${name} is being changed by another process: try again`);
}

export function isTaken<T>({ name, unique }: Collection<T>, id: string): Error {
  return new Error(`${id} of the ${name} cannot be stored: another one has one of its ${unique?.name ?? 'values'}`);
}
