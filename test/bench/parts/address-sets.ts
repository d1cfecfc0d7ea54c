import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { distanceM } from '../../../src/addresses/distance.ts';
import type { Gazetteer } from '../../../workers/engine/gazetteer/open.ts';
import type { GeocodeResult } from '../../../src/messages/lookup.ts';
import { addressOf } from '../../../src/core/http/lookup-request.ts';
import { AppError } from '../../../src/messages/problems.ts';

/** A row of a set of addresses whose position is known. */
export interface PositiveRow {
  readonly query: string;
  readonly variant: string;
  readonly source: string;
  readonly result: GeocodeResult;
  /** Metres from the expected position; null when refused. */
  readonly errorM: number | null;
  readonly isWithin: boolean;
}

/** A row of a set of strings that must be refused. */
export interface NegativeRow {
  readonly query: string;
  readonly why: string;
  readonly expected: number;
  readonly status: number;
  readonly said: string;
}

/** Farther away than this a point is wrong, not imprecise. */
export const WRONG_M = 250;

type Row = Readonly<Record<string, string>>;

/** @param file columns query, expected_lat, expected_lon, within_m, variant, source. */
export function positives(file: string, gazetteer: Gazetteer): PositiveRow[] {
  return rows(file).map((row) => {
    const { query = '', variant = '', source = '' } = row;
    const result = gazetteer.geocode(query);
    const expected = { lat: Number(row['expected_lat']), lon: Number(row['expected_lon']) };
    const errorM = 'found' in result ? distanceM(result.found, expected) : null;
    return { query, variant, source, result, errorM, isWithin: errorM !== null && errorM <= Number(row['within_m']) };
  });
}

/** @param file columns query, reason, expected_status. */
export function negatives(file: string, gazetteer: Gazetteer): NegativeRow[] {
  return rows(file).map(({ query = '', reason: why = '', expected_status: expected = '' }) => ({
    ...{ query, why, expected: Number(expected) },
    ...statusOf(query, gazetteer),
  }));
}

/** What the service answers: a request that is not valid does not reach the geocoder. */
function statusOf(query: string, gazetteer: Gazetteer): Pick<NegativeRow, 'status' | 'said'> {
  try {
    const result = gazetteer.geocode(addressOf({ address: query }).address);
    if ('found' in result) return { status: 200, said: result.found.address };
    const { reason } = result.refused;
    return { status: reason === 'OUT_OF_AREA' ? 422 : 404, said: reason };
  } catch (cause) {
    const { status, code } = AppError.from(cause);
    return { status, said: code };
  }
}

function rows(file: string): Row[] {
  return parse<Row>(readFileSync(file), { columns: true, bom: true });
}
