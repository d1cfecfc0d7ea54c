import type { AddressComponents } from '../messages/wire/geocode.ts';
import { displayStreetType, leadsInFrench } from './street-types.ts';

/** Canonical form of a civic address: "100 Queen St W, Toronto, ON M5H 2N2, Canada", with a unit "302-100 Queen St W, …". */
export function formatAddress(parts: AddressComponents): string {
  const unit = parts.unit === null ? '' : `${parts.unit}-`;
  const postalCode = parts.postalCode === null ? '' : ` ${parts.postalCode}`;
  return `${unit}${formatCivic(parts)} ${formatStreet(parts)}, ${parts.municipality}, ${parts.province}${postalCode}, Canada`;
}

/** A letter follows the number directly, a fraction follows after a space. */
export function formatCivic({ civicNumber, civicSuffix }: AddressComponents): string {
  const gap = civicSuffix?.includes('/') ? ' ' : '';
  return `${civicNumber}${gap}${civicSuffix ?? ''}`;
}

/** French types and those of numbered highways stand before the name. */
export function formatStreet({ streetName, streetType, streetDirection }: AddressComponents): string {
  if (streetType === null) return [streetName, streetDirection].filter(Boolean).join(' ');
  const type = displayStreetType(streetType);
  const leads = leadsInFrench(streetType) || (streetType === 'HWY' && /^\d/.test(streetName));
  const words = leads ? [type, streetName] : [streetName, type];
  return [...words, streetDirection].filter(Boolean).join(' ');
}

/** Small words inside a place name. */
const particles = new Set(['on', 'the', 'of', 'and', 'et', 'al', 'de', 'du', 'des', 'la', 'le', 'les', 'sur']);

/** Display case of a name that the register writes in capitals: "NORTH YORK" -> "North York", "NIAGARA-ON-THE-LAKE" -> "Niagara-on-the-Lake". */
export function displayCase(name: string): string {
  let first = true;
  return name.toLowerCase().replace(/[\p{L}\p{N}'’]+/gu, (word) => {
    const particle = particles.has(word) && !first;
    first = false;
    return particle ? word : capitalise(word);
  });
}

function capitalise(word: string): string {
  const name = word.charAt(0).toUpperCase() + word.slice(1);
  return name.replace(
    /^(Mc|O['’]|D['’]|L['’])(\p{Ll})/u,
    (_, start: string, letter: string) => start + letter.toUpperCase(),
  );
}
