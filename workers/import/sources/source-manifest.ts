import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import type { DataSetDefinition } from '../../../src/catalogue/definition.ts';
import type { AreaClaim } from '../../../src/messages/import.ts';
import { parseOnce } from '../../../src/catalogue/parse-once.ts';
import { isDay, isToCome } from '../../../src/messages/time.ts';
import { messageOf } from '../../../src/words.ts';

/** One data set's entry in `sources.json` (docs/importing.md). */
export interface SourceEntry {
  /** File names in the manifest's folder; several are one data set in parts. */
  readonly files: readonly string[];
  /** YYYY-MM-DD; null: the newest file's own date. */
  readonly asOf: string | null;
  readonly layer: string | null;
  /** OGR SQL condition on the file's own fields. */
  readonly where: string | null;
  /** For files that do not name their CRS. */
  readonly crs: string | null;
  /** Of a Shapefile or JSON, for files that say a wrong one or none. */
  readonly encoding: string | null;
  /** The file's field name -> the definition's. */
  readonly rename: Readonly<Record<string, string>>;
  readonly coverage: Coverage | null;
}

/**
 * Area in which a data set knows the answer. A box is `[west, south, east, north]` in degrees, a file contains
 * polygons, and parts come from a download.
 */
export type Coverage =
  | { readonly kind: 'province' | 'features' }
  | { readonly kind: 'box'; readonly box: readonly [number, number, number, number] }
  | { readonly kind: 'file'; readonly folder: string; readonly file: string }
  | { readonly kind: 'parts'; readonly claims: readonly AreaClaim[] };

interface RawEntry {
  readonly file: string | readonly string[];
  readonly asOf?: string;
  readonly layer?: string;
  readonly where?: string;
  readonly crs?: string;
  readonly encoding?: string;
  readonly rename?: Readonly<Record<string, string>>;
  readonly coverage?: string | readonly [number, number, number, number];
}

type RawManifest = Readonly<Record<string, RawEntry | boolean>>;

const text = { type: 'string', minLength: 1 } as const;

const schema = {
  type: 'object',
  minProperties: 1,
  properties: { sample: { type: 'boolean' } },
  additionalProperties: {
    type: 'object',
    required: ['file'],
    additionalProperties: false,
    properties: {
      file: { anyOf: [text, { type: 'array', minItems: 1, items: text }] },
      asOf: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
      layer: text,
      where: text,
      crs: text,
      encoding: text,
      rename: { type: 'object', additionalProperties: text },
      coverage: {
        anyOf: [text, { type: 'array', minItems: 4, maxItems: 4, items: { type: 'number' } }],
      },
    },
  },
};

/** Compiled for the first manifest: most imports download their data and read none. */
let validator: ValidateFunction<RawManifest> | null = null;

/**
 * Reads `sources.json` of a folder.
 * @throws Error that says what is wrong: no such file, not JSON, a member that does not fit, a data set without definition.
 */
export function readSourceManifest(
  folder: string,
  definitions: readonly DataSetDefinition[],
): {
  /** True for the bundled invented sample. */
  readonly sample: boolean;
  readonly entries: ReadonlyMap<string, SourceEntry>;
} {
  const file = join(folder, 'sources.json');
  if (!existsSync(file)) throw new Error(`${folder} has no sources.json`);
  const raw = parse(file);
  const validate = (validator ??= compile());
  if (!validate(raw)) {
    const [first] = validate.errors ?? [];
    throw new Error(`${file}: ${first?.instancePath ?? ''} ${first?.message ?? 'does not fit'}`);
  }
  const known = new Map(definitions.map((definition) => [definition.id, definition]));
  const entries = new Map<string, SourceEntry>();
  for (const [id, entry] of Object.entries(raw)) {
    if (typeof entry === 'boolean') continue;
    const definition = known.get(id);
    if (!definition) throw new Error(`${file}: there is no layer definition "${id}"`);
    checkEntry(`${file}: "${id}"`, entry, definition);
    entries.set(id, toEntry(entry, folder));
  }
  return { sample: raw['sample'] === true, entries };
}

/** Without the meta-schema: compiling that takes most of the time. */
function compile(): ValidateFunction<RawManifest> {
  const cheap = { code: { optimize: false }, meta: false, validateSchema: false } as const;
  return new Ajv({ strict: true, strictTuples: false, allowUnionTypes: true, ...cheap }).compile(schema);
}

function parse(file: string): unknown {
  try {
    return parseOnce(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`${file}: ${messageOf(cause)}`, { cause });
  }
}

function checkEntry(where: string, { asOf, rename, coverage }: RawEntry, definition: DataSetDefinition): void {
  if (asOf !== undefined) checkDay(where, asOf);
  const stray = Object.values(rename ?? {}).find((field) => !(field in definition.fields));
  if (stray !== undefined) throw new Error(`${where}: "rename" maps to "${stray}", which the definition does not list`);
  if (coverage === undefined || typeof coverage === 'string') return;
  const [west, south, east, north] = coverage;
  if (!(west < east && south < north && Math.abs(west) <= 180 && Math.abs(east) <= 180 && Math.abs(north) <= 90))
    throw new Error(`${where}: "coverage" must be [west, south, east, north] in degrees`);
}

function checkDay(where: string, asOf: string): void {
  if (!isDay(asOf)) throw new Error(`${where}: "asOf" is not a date: ${asOf}`);
  if (isToCome(asOf)) throw new Error(`${where}: "asOf" is a day to come: ${asOf}`);
}

function toEntry(raw: RawEntry, folder: string): SourceEntry {
  return {
    files: typeof raw.file === 'string' ? [raw.file] : raw.file,
    asOf: raw.asOf ?? null,
    layer: raw.layer ?? null,
    where: raw.where ?? null,
    crs: raw.crs ?? null,
    encoding: raw.encoding ?? null,
    rename: raw.rename ?? {},
    coverage: raw.coverage === undefined ? null : toCoverage(raw.coverage, folder),
  };
}

function toCoverage(raw: NonNullable<RawEntry['coverage']>, folder: string): Coverage {
  if (typeof raw !== 'string') return { kind: 'box', box: raw };
  return raw === 'province' || raw === 'features' ? { kind: raw } : { kind: 'file', folder, file: raw };
}
