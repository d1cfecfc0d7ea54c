import type { Fault } from '../contract/geocode.ts';

/**
 * What may differ between the address asked for and the one found, and what it costs out of 1.00. Order of magnitude after BC's
 * address geocoder, calibrated on the project's own test sets (docs/geocoding.md).
 */
export const penalties = {
  TYPE_MISSING: 0.02,
  TYPE_IN_OTHER_LANGUAGE: 0.02,
  TYPE_DIFFERS: 0.08,
  DIRECTION_MISSING: 0.02,
  DIRECTION_EXTRA: 0.05,
  DIRECTION_DIFFERS: 0.1,
  MUNICIPALITY_TODAY: 0.01,
  MUNICIPALITY_FORMER: 0.05,
  POSTAL_CODE_DIFFERS: 0.03,
  POSTAL_AREA_DIFFERS: 0.1,
  POSTAL_DISTRICT_DIFFERS: 0.2,
  SUFFIX_UNKNOWN: 0.03,
  UNIT_UNKNOWN: 0.01,
} as const;

export type FaultCode = keyof typeof penalties;

export function fault(code: FaultCode, detail: string): Fault {
  return { code, penalty: penalties[code], detail };
}

/** Below this nothing is accepted. */
export const ACCEPTED_SCORE = 0.85;

export function scoreOf(faults: readonly Fault[]): number {
  return Math.round((1 - faults.reduce((sum, { penalty }) => sum + penalty, 0)) * 1000) / 1000;
}
