import { displayCase } from '../addresses/format.ts';

/** A class at the end of a name, such as "(NATURAL ENVIRONMENT CLASS)". */
const classAtEnd = /\s*\([^()]*\bCLASS\)$/;

/** Returns a name in capitals as people write it, without its class; any other name as it is. */
export function asWritten(name: string): string {
  return name === name.toUpperCase() ? displayCase(name.replace(classAtEnd, '')) : name;
}
