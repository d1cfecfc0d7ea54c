import { without, type AddressWords } from './address-words.ts';
import { deliveryWords } from './glued-words.ts';

/** "# 5", "NO 5", "5A". */
const number = '(?:(?:#|NO|NUMBER) )*\\d+[A-Z]?';

const form = (pattern: string): RegExp => new RegExp(`\\b${pattern.replaceAll('~', number)}(?= |$)`, 'g');

/**
 * Forms of postal delivery that are not a place, in the words of Canada Post's guide: the name in a refusal, and the pattern (words joined
 * by a space). Without a name it is a remark to the carrier.
 */
const forms: readonly (readonly [label: string | null, pattern: RegExp])[] = [
  ['post office box', form('(?:(?:P O|PO|POSTAL|POST OFFICE|LOCK|MAIL) )?(?:BOX|BAG|DRAWER) ~')],
  ['post office box', form('(?:CP|C P|CASE POSTALE) ~')],
  ['rural route', form('(?:RR|R R|RURAL ROUTE|ROUTE RURALE|SS|MR) ~')],
  ['rural route', form('(?:SITE|COMP|COMPARTMENT|EMPLACEMENT|GROUP|GRP) ~')],
  ['general delivery', form('(?:GENERAL DELIVERY|POSTE RESTANTE|GD)')],
  ['postal station', form('(?:STN|SUCC|SUCCURSALE|RPO|LCD) (?:CENTRE VILLE|[A-Z]+|\\d+[A-Z]?)')],
  ['postal station', form('STATION (?:[A-DF-MO-RT-VX-Z]|MAIN|FORCES)')],
  ['lot and concession', form('(?:(?:PT|PART) )?(?:LOT|LT) (?:NO )?\\d+ (?:CON|CONC|CONCESSION) (?:NO )?\\d+')],
  [null, form('(?:BUZZER|BUZZ|INTERCOM)(?: CODE)? ~')],
  [null, form('(?:RETURN|RETURNED) MAIL')],
];

/** Every form contains one of these words. */
const telltale = new Set([
  ...deliveryWords,
  ...'C CASE R RURAL ROUTE EMPLACEMENT DELIVERY POSTE GD STN STATION SUCC SUCCURSALE LOT LT RETURN RETURNED'.split(' '),
]);

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
      rest = without(rest, wordsIn(before), wordsIn(phrase));
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
