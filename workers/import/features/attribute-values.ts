import type Gdal from 'gdal-async';
import type { DataSetDefinition } from '../../../src/catalogue/definition.ts';
import { sourceField } from '../../../src/catalogue/source-field.ts';
import { isDay } from '../../../src/messages/time.ts';
import type { Attribute } from '../../geopackage/attribute.ts';
import type { Column } from './feature-table.ts';

/** Column name -> the file's field that fills it; null when the file lacks it. */
export type FieldMap = ReadonlyMap<string, string | null>;

/**
 * Finds the file's field for every field of the definition, renamed or not.
 * @throws Error when a required field is missing.
 */
export function mapFields(
  definition: Pick<DataSetDefinition, 'fields'>,
  rename: Readonly<Record<string, string>>,
  present: readonly string[],
): FieldMap {
  const map = new Map<string, string | null>();
  for (const [name, wanted] of Object.entries(definition.fields)) {
    const field = sourceField(name, wanted, rename, present);
    if (field === null && wanted.required)
      throw new Error(`has no field "${name}"; it has: ${present.join(', ') || 'none'} ("rename" can map one)`);
    map.set(name, field);
  }
  return map;
}

/** Reads the values of a feature in the order of the columns. `present` are the fields of the file, in its order: GDAL would search without case. */
export function valueReader(
  present: readonly string[],
  columns: readonly Column[],
  map: FieldMap,
  decode: (text: string) => string = (text) => text,
): (feature: Gdal.Feature) => Attribute[] {
  const readers = columns.map((column) => {
    const field = map.get(column.name) ?? null;
    const index = field === null ? null : present.indexOf(field);
    return (feature: Gdal.Feature) =>
      index === null ? null : convert(decoded(feature.fields.get(index), decode), column, `feature ${feature.fid}`);
  });
  return (feature) => readers.map((read) => read(feature));
}

function decoded(value: unknown, decode: (text: string) => string): unknown {
  return typeof value === 'string' ? decode(value) : value;
}

/** @throws Error when a number is expected and the text is not a number: the field is then not the intended one. */
export function convert(value: unknown, column: Column, feature: string): Attribute {
  // A list in one feature makes lists of the texts of all others.
  const kept = converted(Array.isArray(value) && value.length === 1 ? value[0] : value, column, feature);
  return column.blank?.includes(String(kept)) ? null : kept;
}

function converted(value: unknown, { name, type, steps }: Column, feature: string): Attribute {
  if (value === null || value === undefined || clipped.includes(value) || isBlank(value)) return null;
  if (type === 'string') return typeof value === 'string' ? value : isRounded(value) ? null : textOf(value);
  if (type === 'date') return dayOf(value);
  const number = numberOf(value);
  const fits = type === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (fits) return stepBelow(number, steps);
  throw new Error(`${feature}: "${name}" should be of type ${type}, but is ${JSON.stringify(value)}`);
}

/** What GDAL makes of a number that is too large for a field of 32 bits, such as an object id beyond them. */
const clipped: readonly unknown[] = [2 ** 31 - 1, -(2 ** 31)];

function numberOf(value: unknown): number {
  return typeof value === 'string' && !isDecimal.test(value) ? NaN : Number(value);
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** JavaScript also reads "0x1F". */
const isDecimal = /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i;

/** Whether an integer is beyond those that a double holds, and so perhaps another one than in the file: nobody knows it. */
function isRounded(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

function textOf(value: unknown): string {
  return dateText(value) ?? timeText(value) ?? JSON.stringify(value);
}

/**
 * Returns a day as YYYY-MM-DD; a number is a day written as 20240501, or milliseconds since 1970, as ArcGIS sends them. Null for what is no day of the
 * calendar.
 */
function dayOf(value: unknown): string | null {
  const given = typeof value === 'string' && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value;
  const text = typeof given === 'number' ? textOfNumber(given) : typeof given === 'string' ? given : dateText(given);
  const [, day] = /^\s*(\d{4}-\d{2}-\d{2})/.exec(text?.replaceAll('/', '-') ?? '') ?? [];
  return day !== undefined && isDay(day) ? day : null;
}

/** Below it a number is more likely a year, a day of a spreadsheet or seconds than milliseconds, which would be of January 1970. */
const LEAST_MS = 4e9;

function textOfNumber(number: number): string | null {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(String(number)) ?? [];
  if (year !== undefined) return `${year}-${month}-${day}`;
  const time = new Date(number);
  return Math.abs(number) < LEAST_MS || Number.isNaN(time.getTime()) ? null : time.toISOString();
}

function stepBelow(number: number, steps: Column['steps']): number | null {
  return steps ? (steps.findLast((step) => step <= number) ?? null) : number;
}

/**
 * Returns a date as text: "2024-05-01", followed by the time if there is one; null for anything else. GDAL converts
 * text that looks like a date.
 */
function dateText(value: unknown): string | null {
  const { year, month, day, hour, minute, second } = (value ?? {}) as Readonly<Record<string, number | undefined>>;
  if (year === undefined || month === undefined || day === undefined) return null;
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  return hour === undefined ? date : `${date}T${two(hour)}:${two(minute)}:${two(second)}`;
}

/** Returns a time without a date as text; null for anything else. GDAL converts text that looks like a time, such as "12:30:00". */
function timeText(value: unknown): string | null {
  const { hour, minute, second } = (value ?? {}) as Readonly<Record<string, number | undefined>>;
  return hour === undefined || minute === undefined ? null : `${two(hour)}:${two(minute)}:${two(second)}`;
}

function two(part = 0): string {
  return String(Math.floor(part)).padStart(2, '0');
}

/**
 * Returns the newest of some dates in epoch milliseconds, without dates in the future, which are plans and not data.
 * Null when there is none.
 */
export function newestOf(dates: readonly unknown[]): number | null {
  const nowMs = Date.now();
  let newestMs: number | null = null;
  for (const ms of dates) if (typeof ms === 'number' && ms <= nowMs && ms > (newestMs ?? 0)) newestMs = ms;
  return newestMs;
}

/**
 * Converts a date of gdal-async to epoch milliseconds; null when it is not a date. Ignores the time zone, because only
 * the day counts.
 */
export function epochMs(value: unknown): number | null {
  if (typeof value !== 'object' || value === null || !('year' in value)) return null;
  const { year, month = 1, day = 1, hour = 0, minute = 0 } = value as Partial<Record<string, number>>;
  return Date.UTC(year!, month - 1, day, hour, minute);
}
