/** Whether one letter put in, left out, changed, or swapped with its neighbour turns one text into the other. Equal texts are no edit. */
export function isOneEdit(a: string, b: string): boolean {
  const difference = b.length - a.length;
  if (difference > 1 || difference < -1) return false;
  const [shorter, longer] = difference < 0 ? [b, a] : [a, b];
  let at = 0;
  while (at < shorter.length && shorter.charCodeAt(at) === longer.charCodeAt(at)) at++;
  if (difference !== 0) return restIsEqual(shorter, at, longer, at + 1);
  if (at === a.length) return false;
  if (restIsEqual(a, at + 1, b, at + 1)) return true;
  const swapped = a.charCodeAt(at) === b.charCodeAt(at + 1) && a.charCodeAt(at + 1) === b.charCodeAt(at);
  return swapped && restIsEqual(a, at + 2, b, at + 2);
}

function restIsEqual(a: string, fromA: number, b: string, fromB: number): boolean {
  if (a.length - fromA !== b.length - fromB) return false;
  for (let i = fromA, j = fromB; i < a.length; i++, j++) if (a.charCodeAt(i) !== b.charCodeAt(j)) return false;
  return true;
}
