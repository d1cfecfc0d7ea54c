import { direction } from '../../addresses/directions.ts';
import { parseStreet, type StreetParts } from '../../addresses/street-name.ts';
import { leadingType, streetType } from '../../addresses/street-types.ts';
import { tokenise } from '../../addresses/tokens.ts';
import type { AddressComponents } from '../../messages/wire/geocode.ts';

type StreetDisplay = Pick<AddressComponents, 'streetName' | 'streetType' | 'streetDirection'>;

/**
 * Reads a street that a provider writes in one text, in a form for comparing and one for display. Null when the text
 * names no street.
 */
export function readStreet(text: string): { readonly parts: StreetParts; readonly display: StreetDisplay } | null {
  const parts = parseStreet(tokenise(text));
  return parts && { parts, display: displayOf(text, parts) };
}

/** Splits the name from type and direction; when these are not at its ends, the whole text is the name. */
function displayOf(text: string, parts: StreetParts): StreetDisplay {
  const words = text.trim().split(/\s+/);
  const whole: StreetDisplay = { streetName: words.join(' '), streetType: null, streetDirection: null };
  if (parts.direction !== null) {
    if (direction(fold(words.pop()), true) !== parts.direction) return whole;
  }
  if (parts.type !== null) {
    if (streetType(fold(words.at(-1))) === parts.type) words.pop();
    else if (leadingType(fold(words[0]))?.token === parts.type || streetType(fold(words[0])) === parts.type)
      words.shift();
    else return whole;
  }
  if (words.length === 0) return whole;
  return { streetName: words.join(' '), streetType: parts.type, streetDirection: parts.direction };
}

function fold(word: string | undefined): string {
  return tokenise(word ?? '').join('');
}
