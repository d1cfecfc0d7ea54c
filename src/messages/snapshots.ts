import type { SnapshotManifest } from './manifest.ts';
import { laterFormat } from './store-format.ts';
import { fileTime } from './time.ts';

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
