/** Forms of postal delivery that are not a place: the name in a refusal, and the pattern (words joined by a space). */
const forms: readonly (readonly [label: string, pattern: RegExp])[] = [
  ['post office box', /(?:\b(?:P O|PO|POSTAL|POST OFFICE) )?\b(?:BOX|BAG|DRAWER) (?:# )?\d+[A-Z]?\b/g],
  ['post office box', /\b(?:CP|C P|CASE POSTALE) (?:# )?\d+\b/g],
  ['rural route', /\b(?:RR|R R|RURAL ROUTE|ROUTE RURALE) (?:# )?(?:NO )?\d+\b/g],
  ['rural route', /\b(?:SITE|COMP|COMPARTMENT|EMPLACEMENT|GROUP|GRP) (?:# )?\d+\b/g],
  ['general delivery', /\b(?:GENERAL DELIVERY|POSTE RESTANTE|GD)\b/g],
  ['postal station', /\b(?:STN|SUCC|RPO|LCD) [A-Z]+\b/g],
  ['lot and concession', /\b(?:PT |PART )?LOT \d+ (?:CON|CONC|CONCESSION) \d+\b/g],
];

/** Every form contains one of these words. */
const telltale = new Set(
  'BOX BAG DRAWER CP C CASE RR R RURAL ROUTE SITE COMP COMPARTMENT EMPLACEMENT GROUP GRP DELIVERY POSTE GD STN SUCC RPO LCD LOT'.split(
    ' ',
  ),
);

export interface Delivery {
  /** The words without delivery phrases. */
  readonly words: readonly string[];
  /** Name of the first phrase that was removed; null when none was. */
  readonly label: string | null;
}

/** Removes post office boxes, rural routes and the like from an address, because they say nothing about the place. */
export function removeDelivery(address: readonly string[]): Delivery {
  if (!address.some((word) => telltale.has(word))) return { words: address, label: null };
  let text = address.join(' ');
  let label: string | null = null;
  for (const [name, pattern] of forms) {
    text = text.replace(pattern, (phrase, ...rest) => {
      const at = rest.find((value) => typeof value === 'number') ?? 0;
      if (phrase.startsWith('RR ') && isRegionalRoad(text.slice(0, at))) return phrase;
      label ??= name;
      return ' ';
    });
  }
  return { words: text.split(' ').filter(Boolean), label };
}

/** "1234 RR 25" is Regional Road 25: the only street words behind a civic number. */
function isRegionalRoad(before: string): boolean {
  return /^(?:\w+ - )?\d{1,6}[A-Z]? $/.test(before);
}
