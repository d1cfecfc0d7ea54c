/** Seconds until a limit of an hour begins anew: a slow machine takes some between a spend and its answer. */
const JUST_BEGUN = /\b3(?:5[4-9]\d|600)\b/g;

/** A header or sentence in which an hour that began in the last minute has all its 3,600 seconds. */
export function wholeHour(text: string | null): string | null {
  return text?.replace(JUST_BEGUN, '3600') ?? null;
}
