import { without, type AddressWords } from './address-words.ts';

/** Forms of postal delivery that are not a place: the name in a refusal, and the pattern (words joined by a space). */
const forms: readonly (readonly [label: string, pattern: RegExp])[] = [
  ['post office box', /(?:\b(?:P O|PO|POSTAL|POST OFFICE) )?\b(?:BOX|BAG|DRAWER) (?:# )?\d+[A-Z]?\b/g],
  ['post office box', /\b(?:CP|C P|CASE POSTALE) (?:# )?\d+\b/g],
  ['rural route', /\b(?:RR|R R|RURAL ROUTE|ROUTE RURALE) (?:# )?(?:NO )?\d+\b/g],
  ['rural route', /\b(?:SITE|COMP|COMPARTMENT|EMPLACEMENT|GROUP|GRP) (?:# )?\d+\b/g],
  ['general delivery', /\b(?:GENERAL DELIVERY|POSTE RESTANTE|GD)\b/g],
  ['postal station', /\b(?:STN|SUCC|RPO|LCD) [A-Z]+\b/g],
  ['lot and concession', /\b(?:(?:PT|PART) )?(?:LOT|LT) (?:NO )?\d+ (?:CON|CONC|CONCESSION) (?:NO )?\d+\b/g],
];

/** Every form contains one of these words. */
const telltale = new Set(
  'BOX BAG DRAWER CP C CASE RR R RURAL ROUTE SITE COMP COMPARTMENT EMPLACEMENT GROUP GRP DELIVERY POSTE GD STN SUCC RPO LCD LOT LT'.split(
    ' ',
  ),
);

export interface Delivery {
  /** The address without delivery phrases. */
  readonly rest: AddressWords;
  /** Name of the first phrase that was removed; null when none was. */
  readonly label: string | null;
}

/** Removes post office boxes, rural routes and the like from an address, because they say nothing about the place. */
export function removeDelivery(address: AddressWords): Delivery {
  if (!address.words.some((word) => telltale.has(word))) return { rest: address, label: null };
  let rest = address;
  let label: string | null = null;
  for (const [name, pattern] of forms) {
    const text = rest.words.join(' ');
    // From the end on, so that the places of earlier phrases stay.
    for (const { 0: phrase, index } of [...text.matchAll(pattern)].reverse()) {
      const before = text.slice(0, index);
      if (phrase.startsWith('RR ') && isRegionalRoad(before)) continue;
      label ??= name;
      const lead = /^ */.exec(phrase)![0].length;
      rest = without(rest, wordsIn(text.slice(0, index + lead)), wordsIn(phrase));
    }
  }
  return { rest, label };
}

function wordsIn(text: string): number {
  return text.split(' ').filter(Boolean).length;
}

/** "1234 RR 25" is Regional Road 25: the only street words behind a civic number. */
function isRegionalRoad(before: string): boolean {
  return /^(?:\w+ - )?\d{1,6}[A-Z]? $/.test(before);
}
