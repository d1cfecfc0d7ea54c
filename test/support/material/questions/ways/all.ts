import { classOf, type QuestionClass } from '../question.ts';
import type { KnownAddress } from '../known-address.ts';
import type { Written } from '../known-register.ts';
import { directedNames } from '../place-names.ts';
import { truthOf } from '../written.ts';
import { fieldWays } from './field.ts';
import { insertedWays } from './inserted.ts';
import { shortWays, streetWays } from './streets.ts';
import { textWays } from './texts.ts';
import { townWays } from './towns.ts';
import { unitWays } from './units.ts';
import { partsOf, type Way } from './way.ts';

/** "252 Main St E Hawkesbury" without commas may lie in East Hawkesbury. */
function mayBeOfTown({ direction, municipality }: KnownAddress): boolean {
  return directedNames(municipality).some((name) => direction !== '' && name.startsWith(direction));
}

function classesOf(ways: Readonly<Record<string, Way>>, written: Written): QuestionClass[] {
  return Object.entries(ways).map(([name, way]) =>
    classOf(`way: ${name}`, 'a known address, written so', 'found', (address, random, register) => {
      if (mayBeOfTown(address)) return null;
      const text = way(partsOf(address, random() < 0.5), random, register);
      return text !== null && register.isPlain(address, written) ? { text, truth: truthOf(address) } : null;
    }),
  );
}

/** Every way by its name. */
export const ways: Readonly<Record<string, Way>> = Object.assign(
  {},
  ...[unitWays, streetWays, townWays, textWays, insertedWays, fieldWays, ...shortWays.map((short) => short.ways)],
) as Readonly<Record<string, Way>>;

/** One class for each way of writing an address that the register has. */
export const wayClasses: readonly QuestionClass[] = [
  ...[unitWays, streetWays, townWays, textWays, insertedWays, fieldWays].flatMap((ways) => classesOf(ways, 'street')),
  ...shortWays.flatMap(({ written, ways }) => classesOf(ways, written)),
];
