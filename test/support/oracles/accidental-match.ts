import { municipalityKey } from '../../../src/addresses/municipality-name.ts';
import { isOneEdit } from '../../../src/addresses/one-edit.ts';
import { foldOrdinals } from '../../../src/addresses/ordinals.ts';
import { tokenise } from '../../../src/addresses/tokens.ts';
import { spellOut } from '../../../src/addresses/street-types.ts';
import type { Geocode } from '../../../src/messages/wire/geocode.ts';

/**
 * What an answer has that cannot be read in the text it answers; null when everything can: the number, the street's name (but for one letter
 * where the answer says so), and a place or its postal code. Knows nothing of how addresses are read: it looks the parts up in the text.
 */
export function accidentIn(text: string, { components, faults }: Geocode): string | null {
  const has = (...codes: string[]): boolean => faults.some(({ code }) => codes.includes(code));
  // "1542Robinson" is a number and a name.
  const words = [...tokenise(text), ...tokenise(text.replace(/(?<=\d)(?=\p{L}{3})/gu, ' '))];
  const number = new RegExp(`^0*${components.civicNumber}[A-Z]?$`);
  if (!words.some((word) => number.test(word))) return 'number';
  const name = joined(tokenise(components.streetName));
  if (!stands(words, name, has('STREET_CORRECTED', 'SHORT_STREET_CORRECTED'))) return 'street';
  const code = components.postalCode?.replace(' ', '') ?? '';
  if (code !== '' && lookAlikes(words.join('').replaceAll('-', '')).includes(lookAlikes(code))) return null;
  if (has('MUNICIPALITY_FORMER', 'MUNICIPALITY_NEARBY')) return null;
  const places = [components.municipality, components.censusSubdivision].flatMap((column) => column.split(' / '));
  const isThere = places.some((place) =>
    stands(words, municipalityKey(tokenise(place)), has('MUNICIPALITY_CORRECTED')),
  );
  return isThere ? null : 'place';
}

/** Whether some words in a row are a name. */
function stands(words: readonly string[], name: string, withTypo: boolean): boolean {
  for (let from = 0; from < words.length; from++) {
    for (let to = from + 1; to <= Math.min(words.length, from + 8); to++) {
      const part = words.slice(from, to);
      const forms = [joined(part), municipalityKey(part)];
      if (forms.some((form) => form === name || (withTypo && isOneEdit(form, name)))) return true;
    }
  }
  return false;
}

/** Ordinals as numbers, abbreviations in full, small words of roads left out: "Hwy 7" and "Highway 7", "The West Mall" and "West Mall". */
function joined(words: readonly string[]): string {
  return foldOrdinals(words.filter((word) => word !== '-' && word !== '#'))
    .filter((word) => word !== 'THE')
    .map((word) => spellOut(word).replace(/^(?:SAINT|SAINTE|STE)$/, 'ST'))
    .map((word) => (/^(?:CON|CONC)$/.test(word) ? 'CONCESSION' : word))
    .join('');
}

/** Letters and digits that are taken for each other. */
function lookAlikes(text: string): string {
  return text.replaceAll('O', '0').replace(/[IL]/g, '1');
}
