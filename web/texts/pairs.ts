/** The words of a language out of a table that has each in English and French. */
export const wordsIn = <Name extends string>(
  pairs: Readonly<Record<Name, readonly [string, string]>>,
  language: 0 | 1,
): Record<Name, string> =>
  Object.fromEntries(
    Object.entries<readonly [string, string]>(pairs).map(([name, words]) => [name, words[language]]),
  ) as Record<Name, string>;
