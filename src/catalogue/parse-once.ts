/** Names of members with what follows them, other texts, and what begins and ends objects and arrays. */
const TOKENS = /("(?:[^"\\]|\\.)*")\s*(:?)|[[\]{}]/g;

/**
 * Parses a JSON file that people write. `JSON.parse` takes the last of two members with the same name, and nobody would see that the first one is not used.
 * @throws Error that names a member which is there twice. @throws SyntaxError of `JSON.parse`.
 */
export function parseOnce(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const names: Set<string>[] = [];
  const path: string[] = [];
  for (const [token, name, colon] of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') names.push(new Set());
    else if (token === '}' || token === ']') names.pop();
    else if (name !== undefined && colon === ':') {
      const member = JSON.parse(name) as string;
      path.length = names.length;
      path[names.length - 1] = member;
      const others = names.at(-1)!;
      if (others.has(member)) throw new Error(`${path.map((one) => `/${one}`).join('')} is there twice`);
      others.add(member);
    }
  }
  return value;
}
