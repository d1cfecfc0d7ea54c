import { textOf, textsOf, type Members } from './read-json.ts';

/** Labels of Nominatim's `address` that are a municipality. */
export const municipalLabels = ['city', 'town', 'village', 'municipality'] as const;

/** Labels of areas that contain municipalities. */
export const countyLabels = ['county', 'district', 'region', 'state_district', 'state'] as const;

/** Names that are only in Nominatim's `display_name`. */
export interface LostNames {
  /** Between the street and the municipality. */
  readonly inside: readonly string[];
  /** After the municipality and before county and province; these are municipalities too. */
  readonly around: readonly string[];
}

/**
 * Finds the names that `address` leaves out. `address` has one name per label, so of two places labelled `city` it
 * lacks the larger one (it has "Old Toronto", but not "Toronto"). `display_name` has all names from the smallest to the
 * largest. A name before the street belongs to a building and never counts.
 */
export function lostNames(displayName: string, address: Members): LostNames {
  const names = displayName.split(', ');
  const street = names.indexOf(textOf(address['road']));
  const labelled = new Set(textsOf(...Object.values(address)));
  const at = (labels: readonly string[]): number[] =>
    textsOf(...labels.map((label) => address[label])).map((name) => names.lastIndexOf(name));
  const municipality = Math.max(...at(municipalLabels), -1);
  const county = Math.min(...at(countyLabels).filter((index) => index > municipality), names.length);
  if (street < 0 || municipality <= street || county === names.length) return { inside: [], around: [] };
  const lostBetween = (from: number, to: number): string[] =>
    names.slice(from + 1, to).filter((name) => !labelled.has(name));
  return { inside: lostBetween(street, municipality), around: lostBetween(municipality, county) };
}
