import type { Fault } from '../messages/wire/geocode.ts';

/**
 * Differences that are accepted between the requested address and the one found, and their prices out of 1.00. Order of
 * magnitude after BC's address geocoder, calibrated on the project's own test sets (docs/geocoding.md).
 */
const penalties = {
  TYPE_MISSING: 0.02,
  TYPE_IN_OTHER_LANGUAGE: 0.02,
  TYPE_DIFFERS: 0.08,
  TYPE_IN_NAME: 0.01,
  DIRECTION_MISSING: 0.02,
  DIRECTION_EXTRA: 0.05,
  DIRECTION_DIFFERS: 0.1,
  DIRECTION_MOVED: 0.02,
  ROAD_KIND_DIFFERS: 0.03,
  STREET_CORRECTED: 0.05,
  SHORT_STREET_CORRECTED: 0.08,
  WORDS_LEFT_OUT: 0.03,
  SUFFIX_APART: 0.01,
  SUFFIX_UNKNOWN: 0.03,
  CIVIC_RANGE: 0.02,
  CIVIC_BEHIND: 0.01,
  UNIT_BEHIND: 0.01,
  UNIT_UNKNOWN: 0.02,
  INTERPOLATED: 0.05,
  POSITION_DOUBTFUL: 0.2,
  MUNICIPALITY_TODAY: 0.01,
  MUNICIPALITY_NEARBY: 0.03,
  MUNICIPALITY_FORMER: 0.05,
  MUNICIPALITY_CORRECTED: 0.04,
  MUNICIPALITY_MISSING: 0.03,
  MUNICIPALITY_DIFFERS: 0.08,
  POSTAL_CODE_DIFFERS: 0.03,
  POSTAL_AREA_DIFFERS: 0.13,
  POSTAL_DISTRICT_DIFFERS: 0.2,
} as const;

/** Detail of words that were left out: "Kingston (Old East)". Where the street has no direction in the text, they may be its. */
export const PART_OF_TOWN = 'a part of the town was left out';

type FaultCode = keyof typeof penalties;

export const faultCodes = Object.keys(penalties) as readonly FaultCode[];

export function fault(code: FaultCode, detail: string): Fault {
  return { code, penalty: penalties[code], detail };
}

/** Lowest score that is accepted. */
export const ACCEPTED_SCORE = 0.85;

export function scoreOf(faults: readonly Fault[]): number {
  return Math.round((1 - faults.reduce((sum, { penalty }) => sum + penalty, 0)) * 1000) / 1000;
}
