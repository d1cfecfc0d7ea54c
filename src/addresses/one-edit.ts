/**
 * Says whether one edit turns one text into the other: a letter added, left out, changed, or swapped with its
 * neighbour. Equal texts are not one edit.
 */
export function isOneEdit(a: string, b: string): boolean {
  return isOneEditAt(a, b, 0, b.length);
}

/**
 * Does the same as `isOneEdit` with the part of a text that begins at `from` and has `length` letters, so that long
 * lists of names need not be split.
 */
export function isOneEditAt(a: string, text: string, from: number, length: number): boolean {
  const difference = length - a.length;
  if (difference > 1 || difference < -1) return false;
  const shorter = Math.min(a.length, length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === text.charCodeAt(from + at)) at++;
  const restIsEqual = (skippedInA: number, skippedInText: number): boolean => {
    const rest = a.length - at - skippedInA;
    if (rest !== length - at - skippedInText) return false;
    for (let i = 0; i < rest; i++) {
      if (a.charCodeAt(at + skippedInA + i) !== text.charCodeAt(from + at + skippedInText + i)) return false;
    }
    return true;
  };
  if (difference > 0) return restIsEqual(0, 1);
  if (difference < 0) return restIsEqual(1, 0);
  if (at === length) return false;
  if (restIsEqual(1, 1)) return true;
  const [first, second] = [a.charCodeAt(at), a.charCodeAt(at + 1)];
  return first === text.charCodeAt(from + at + 1) && second === text.charCodeAt(from + at) && restIsEqual(2, 2);
}
