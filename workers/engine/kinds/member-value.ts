import type { MemberDefinition } from '../../../src/catalogue/definition.ts';
import type { Attribute } from '../../geopackage/attribute.ts';
import type { Hit } from '../views/view.ts';
import { displayCase } from '../../../src/addresses/format.ts';

type Members = Readonly<Record<string, MemberDefinition>>;

/** Source fields that members read. */
export function fieldsOf(members: Members): string[] {
  return Object.values(members).flatMap(({ field, otherwise }) => [field, ...(otherwise ? [otherwise.field] : [])]);
}

type Read = Pick<MemberDefinition, 'field' | 'codes' | 'style' | 'otherwise'>;

/**
 * Returns the served form of an attribute; null when it is blank, missing or a code that the definition does not list.
 */
export function memberValue(hit: Pick<Hit, 'attributes'>, member: Read & Pick<MemberDefinition, 'as'>): Attribute {
  const text = textValue(hit, member);
  if (text === null || member.as === 'string') return text;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

/** Returns the served forms of attributes, by member. */
export function memberValues(hit: Pick<Hit, 'attributes'>, members: Members): Readonly<Record<string, Attribute>> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, memberValue(hit, member)]));
}

/** As `memberValue`, as text. */
export function textValue(hit: Pick<Hit, 'attributes'>, { field, codes, style, otherwise }: Read): string | null {
  const text = String(hit.attributes[field] ?? '').trim();
  if (text === '') return otherwise ? textValue(hit, otherwise) : null;
  if (codes) return Object.hasOwn(codes, text) ? codes[text]! : null;
  return style === 'name' ? asWritten(text) : text;
}

/** A class at the end of a name, such as "(NATURAL ENVIRONMENT CLASS)". */
const classAtEnd = /\s*\([^()]*\bCLASS\)$/;

/** Returns a name in capitals as people write it, without its class; any other name as it is. */
export function asWritten(name: string): string {
  return name === name.toUpperCase() ? displayCase(name.replace(classAtEnd, '')) : name;
}
