/** Written form -> the register's symbol. French letters (O, NO, SO) are read by `frenchDirection` only. */
const directions: ReadonlyMap<string, string> = new Map(
  Object.entries({
    N: 'N',
    NORTH: 'N',
    NORD: 'N',
    S: 'S',
    SOUTH: 'S',
    SUD: 'S',
    E: 'E',
    EAST: 'E',
    EST: 'E',
    W: 'W',
    WEST: 'W',
    OUEST: 'W',
    NE: 'NE',
    NORTHEAST: 'NE',
    NW: 'NW',
    NORTHWEST: 'NW',
    SE: 'SE',
    SOUTHEAST: 'SE',
    SW: 'SW',
    SOUTHWEST: 'SW',
  }),
);

/** "NO" is also "number" and "O" a unit letter: directions after a French type only. */
const frenchLetters: ReadonlyMap<string, string> = new Map(Object.entries({ O: 'W', NO: 'NW', SO: 'SW' }));

/** Returns the direction of a word as N, S, E, W, NE, NW, SE or SW; null for any other word. */
export function direction(word: string, french = false): string | null {
  return directions.get(word) ?? (french ? (frenchLetters.get(word) ?? null) : null);
}

/** Returns the symbols of all directions with a written form that begins so. */
export function directionsBeginning(letters: string): string[] {
  const symbols = new Set<string>();
  for (const [written, symbol] of directions) if (written.startsWith(letters)) symbols.add(symbol);
  return [...symbols];
}

/** Returns the direction in the register's own column, where the French letters are certain. */
export function registerDirection(symbol: string): string | null {
  return direction(symbol, true);
}
