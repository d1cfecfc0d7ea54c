import type { Coordinate } from '../../../../src/messages/lookup.ts';
import type { KnownAddress } from './known-address.ts';
import type { KnownRegister } from './known-register.ts';
import { truthOf } from './written.ts';

export type Random = () => number;

/** A text to ask, and what the only right answer to it is: the address, anywhere on its points, or null when it must be refused. */
export interface Question {
  readonly text: string;
  readonly truth: Truth | null;
  /** The address of the register that it was made of, which a refusal may well suggest. */
  readonly about?: Truth;
}

export interface Truth {
  readonly points: readonly Coordinate[];
  /** The text names two addresses: the answer must hold for each point, not for one of them. */
  readonly isAll?: true;
  readonly address: string;
}

/** Questions of one kind, whose answers would be wrong for one reason. */
export interface QuestionClass {
  readonly name: string;
  /** What is asked, and which wrong answer is near. */
  readonly shows: string;
  /** `found`: the register has the address, so that a refusal loses it. `either`: a refusal is as good as the right answer. */
  readonly expects: 'found' | 'either';
  /** As many as the register has, in an order that `random` decides. */
  readonly questions: (register: KnownRegister, random: Random) => Iterable<Question>;
}

export function oneOf<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)]!;
}

export function shuffled<T>(list: readonly T[], random: Random): T[] {
  const result = [...list];
  for (let at = result.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [result[at], result[other]] = [result[other]!, result[at]!];
  }
  return result;
}

/** Makes a class out of what can be asked about one address. */
export function classOf(
  name: string,
  shows: string,
  expects: QuestionClass['expects'],
  ask: (address: KnownAddress, random: Random, register: KnownRegister) => Question | null,
): QuestionClass {
  return {
    ...{ name, shows, expects },
    questions: function* (register, random) {
      const asked = new Set<string>();
      for (const address of register.inTurns(random)) {
        const question = ask(address, random, register);
        if (question === null || asked.has(question.text)) continue;
        asked.add(question.text);
        yield address.isServed ? { about: truthOf(address), ...question } : question;
      }
    },
  };
}
