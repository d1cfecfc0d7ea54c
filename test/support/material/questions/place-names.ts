import type { KnownRegister } from './known-register.ts';
import { folded, isOneLetterApart } from './names.ts';

/** Municipalities and villages of Ontario that are named after another place and a direction. */
const directed = [
  ...['East Hawkesbury', 'North Dundas', 'South Dundas', 'North Perth', 'West Perth', 'Perth East', 'Perth South'],
  ...['West Lincoln', 'East York', 'North York', 'North Lancaster', 'West Elgin', 'South Huron'],
  ...['North Huron', 'Huron East', 'South Bruce', 'West Grey', 'Wellington North', 'South Frontenac', 'North Augusta'],
  ...['North Frontenac', 'North Middlesex', 'North Kawartha', 'North Stormont', 'South Stormont', 'South Mountain'],
  ...['North Glengarry', 'South Glengarry', 'North Grenville', 'North Dumfries', 'Highlands East', 'North Cobalt'],
  ...['East Gwillimbury', 'West Nipissing', 'East Ferris', 'East Garafraxa', 'South Algonquin', 'West Montrose'],
];

const byTown = new Map<string, string[]>();
for (const name of directed) {
  const town = folded(name).replace(/^(?:NORTH|SOUTH|EAST|WEST) | (?:NORTH|SOUTH|EAST|WEST)$/, '');
  byTown.set(town, [...(byTown.get(town) ?? []), name]);
}

/** Places in whose names a town stands beside a direction: for Perth, West Perth and Perth East. */
export function directedNames(town: string): readonly string[] {
  return byTown.get(folded(town)) ?? [];
}

/** Those of them that are parts of a city, whose other parts people may name in their place. */
export const cityOfPart: Readonly<Record<string, number>> = { 'East York': 3520005, 'North York': 3520005 };

/** Villages of Ontario, most of them without mail of their own, that are one letter away from some town. */
const villages = [
  ...['Brookville', 'Crampton', 'Sunbury', 'Wilton', 'Walton', 'Hilton', 'Ayton', 'Mayfield', 'Romney', 'Kirkton'],
  ...['Newton', 'Enfield', 'Denfield', 'Varna', 'Harley', 'Everton', 'Morton', 'Marden', 'Flinton', 'Dalton'],
];

/** Villages one letter away from a town, unknown to the register. */
export function nearVillages(town: string, register: KnownRegister): readonly string[] {
  return villages.filter((village) => isOneLetterApart(folded(village), folded(town)) && !register.isPlace(village));
}
