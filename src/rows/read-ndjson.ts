import { MAX_LINE } from './lines.ts';
import { badRow, placeOf } from './place-of.ts';
import type { AskedRow } from './row.ts';

/**
 * Yields the rows of NDJSON: one object a line, with `address`, or `lat` and `lon`; and `custom_id` if given. Other members are
 * ignored, and so are blank lines.
 */
export async function* readNdjson(lines: AsyncIterable<string>): AsyncGenerator<AskedRow> {
  for await (const line of lines) if (line.trim() !== '') yield rowOf(line);
}

function rowOf(line: string): AskedRow {
  const members = line.length > MAX_LINE ? undefined : objectOf(line);
  if (!members) return { customId: null, place: badRow('the row must be one JSON object, and not too long') };
  const { custom_id: customId = null } = members;
  if (customId === null || typeof customId === 'string') return { customId, place: placeOf(members) };
  if (typeof customId === 'number') return { customId: String(customId), place: placeOf(members) };
  return { customId: null, place: badRow('custom_id must be string') };
}

function objectOf(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
