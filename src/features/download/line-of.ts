/** A string (a member's name if a colon follows), a bracket, a comma, or any other value. */
const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\],]|[^\s{}[\],":]+/g;

/**
 * Returns the line, from 1, on which a member of a JSON document begins; if the member is missing, the line of the
 * member around it. The text must be valid JSON.
 */
export function lineOf(text: string, path: readonly (string | number)[]): number {
  let at = 0;
  for (const step of path) {
    const child = childAt(text, at, step);
    if (child === null) break;
    at = child;
  }
  return text.slice(0, at).split('\n').length;
}

/**
 * Returns where a member of an object or list begins. The object or list begins at `from`, possibly after its own name.
 */
function childAt(text: string, from: number, step: string | number): number | null {
  let depth = 0;
  let element = 0;
  for (const match of text.slice(from).matchAll(tokens)) {
    const [token] = match;
    const isEnd = '}],'.includes(token);
    if (depth === 1 && !isEnd && step === (nameIn(match) ?? element)) return from + match.index;
    if ('{['.includes(token)) depth++;
    if ('}]'.includes(token)) depth--;
    if (token === ',' && depth === 1) element++;
    // The value of the member ends here.
    if (depth === 0 && isEnd) return null;
  }
  return null;
}

function nameIn([, name, colon]: RegExpMatchArray): string | null {
  return name !== undefined && colon !== undefined ? (JSON.parse(name) as string) : null;
}
