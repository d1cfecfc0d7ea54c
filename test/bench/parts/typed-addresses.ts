/** Register addresses typed letter by letter: what is suggested on the way, and how long it takes. */
import type { Gazetteer } from '../../../workers/engine/gazetteer/open.ts';
import type { Suggestion } from '../../../src/messages/lookup.ts';
import { readRows, registerFolder, addressColumns } from '../../../workers/import/addresses/files.ts';

/** Suggestions that a page shows. */
export const SHOWN = 5;

/** An address as the register writes it, and what a lookup makes of it. */
export interface TypedAddress {
  readonly text: string;
  /** Canonical text, as suggestions have it. */
  readonly address: string;
  /** Letters and digits of `text` are counted behind this place. */
  readonly numberEnds: number;
}

/** Reads addresses spread over a register. Rows that a lookup refuses are left out, because they are no suggestions. */
export async function typedAddresses(
  register: string,
  most: number,
  gazetteer: Gazetteer,
): Promise<{ readonly addresses: TypedAddress[]; readonly refused: number }> {
  const files = await registerFolder(register);
  let rows = 0;
  for await (const row of readRows(files.addresses, addressColumns, [], () => undefined)) if (row.civic) rows++;
  const addresses: TypedAddress[] = [];
  let [n, refused] = [0, 0];
  for await (const row of readRows(files.addresses, addressColumns, [], () => undefined)) {
    // Spread evenly, whatever the quotient.
    if (Math.floor((n * most) / rows) === Math.floor((++n * most) / rows)) continue;
    const number = `${row.civic}${/^\d/.test(row.suffix) ? ' ' : ''}${row.suffix}`;
    const street = [row.name, row.type, row.direction].filter(Boolean).join(' ');
    const text = `${number} ${street}, ${row.municipality}, ON ${row.postalCode}`.trim();
    const result = gazetteer.geocode(text);
    if (!('found' in result)) refused++;
    else addresses.push({ text, address: withoutCountry(result.found.address), numberEnds: number.length });
  }
  return { addresses, refused };
}

/** A suggestion's text as a lookup writes it, and back. */
function withoutCountry(address: string): string {
  return address.replace(/, Canada$/, '');
}

/** The text up to the given letter or digit behind the civic number; all of it when it has fewer. */
export function typedUpTo({ text, numberEnds }: TypedAddress, letters: number): string {
  let left = letters;
  for (let at = numberEnds; at < text.length; at++) {
    if (/[\p{L}\p{N}]/u.test(text[at]!) && --left === 0) return text.slice(0, at + 1);
  }
  return text;
}

/** Says whether the street of an address, in its municipality, is among some suggestions. */
export function hasStreet(suggestions: readonly Suggestion[], { address }: TypedAddress): boolean {
  const wanted = streetOf(address);
  return suggestions.some(({ kind, text }) => (kind === 'address' ? streetOf(text) : text) === wanted);
}

/** "12 1/2 Main St W, Sampleton, ON L0X 5X8" is on "Main St W, Sampleton, ON". */
function streetOf(address: string): string {
  return address.replace(/^(?:\S+-)?\d+[A-Z]?(?: \d\/\d)? /, '').replace(/ [A-Z]\d[A-Z] \d[A-Z]\d$/, '');
}

export function hasAddress(suggestions: readonly Suggestion[], { address }: TypedAddress): boolean {
  return suggestions.some(({ kind, text }) => kind === 'address' && text === address);
}
