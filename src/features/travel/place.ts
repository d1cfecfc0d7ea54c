/** A place that holds snapshots for other machines: a service's admin port or another web server, or a folder. */

import { isSnapshotId } from '../../messages/manifest.ts';

/** Files of a snapshot, in the order in which they are stored: a snapshot whose manifest is there is whole. */
export const snapshotFiles = ['land.gpkg', 'chunks.json', 'manifest.json'] as const;
export type SnapshotFile = (typeof snapshotFiles)[number];

export type PlacePath = 'current' | `${string}/${SnapshotFile}`;

/**
 * A place is a folder of files: `current` names the snapshot to serve, and each snapshot has a folder with its id. Failures that may pass are
 * `Transient`.
 */
export interface SnapshotPlace extends Disposable {
  /** As messages name it, without secrets. */
  readonly name: string;
  /** Reads a whole file. @throws NotThere, TooLarge. */
  readText(path: PlacePath, mostBytes: number): Promise<string>;
  /** Reads from the byte `from` to before `to`, as they come; fewer when it breaks off. @throws NotThere. */
  readPart(path: PlacePath, from: number, to: number): AsyncIterable<Uint8Array>;
}

/** The place has no such file. */
export class NotThere extends Error {
  override readonly name = 'NotThere';
}

const MOST_CURRENT_BYTES = 4096;

/** @throws NotThere when the place has no snapshot; Error when what it has is not understood. */
export async function readCurrentId(place: SnapshotPlace): Promise<string> {
  const text = await place.readText('current', MOST_CURRENT_BYTES);
  const current = parseJson(text) as { readonly format?: unknown; readonly snapshot?: unknown } | null;
  const id = current?.snapshot;
  if (current?.format === 1 && typeof id === 'string' && isSnapshotId(id)) return id;
  throw new Error('"current" does not name a snapshot in a format that this version knows');
}

/** Returns the text of the file `current`. */
export function currentText(id: string): string {
  return `${JSON.stringify({ format: 1, snapshot: id })}\n`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
