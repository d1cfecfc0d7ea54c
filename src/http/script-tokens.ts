/** A piece of a script. `depth` counts the brackets that are open around it; a bracket stands outside itself. */
export interface Token {
  readonly kind: 'gap' | 'word' | 'string' | 'sign' | 'template' | 'pattern';
  readonly text: string;
  readonly depth: number;
}

const patterns: Readonly<Record<Token['kind'], RegExp>> = {
  /** Space and comments. */
  gap: /(?:\s|\/\/.*|\/\*[^]*?\*\/)+/y,
  word: /[\w$#]+/y,
  string: /'(?:[^'\\\n]|\\[^])*'|"(?:[^"\\\n]|\\[^])*"/y,
  sign: /[-{}()[\];,<>+*/%&|^!~?:=.]/y,
  /** The text of a template up to its end or to an expression in it. */
  template: /[`}](?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{)/y,
  pattern: /\/(?:[^\\/[\n]|\\.|\[(?:[^\\\]\n]|\\.)*\])+\/\w*/y,
};

const opening: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
const wordsBeforeValue = new Set(
  'await case delete do else in instanceof new of return throw typeof void yield'.split(' '),
);

/**
 * Divides a script into tokens, which together are the script. Knows where strings, templates, patterns and comments begin and end, and nothing of what
 * the script means. @throws Error where it cannot be sure.
 */
export function tokensOf(script: string): readonly Token[] {
  const tokens: Token[] = [];
  const brackets = new Brackets();
  let before: Token | undefined;
  for (let at = 0; at < script.length;) {
    const next = tokenAt(script, at, { before, isInTemplate: brackets.isInTemplate });
    if (!next) throw new Error(`cannot tell what this is: ${script.slice(at, at + 40)}`);
    const depth = brackets.take(next);
    if (depth === null) throw new Error(`brackets do not fit at ${script.slice(at, at + 40)}`);
    const token = { ...next, depth };
    tokens.push(token);
    if (token.kind !== 'gap') before = token;
    at += token.text.length;
  }
  if (!brackets.areClosed) throw new Error('a bracket or a template has no end');
  return tokens;
}

/** The brackets that are open, and expressions in templates. */
class Brackets {
  readonly #open: string[] = [];

  /** The next closing brace goes on with a template. */
  get isInTemplate(): boolean {
    return this.#open.at(-1) === '${';
  }

  get areClosed(): boolean {
    return this.#open.length === 0;
  }

  /** Returns how many are open around the token; null when it closes another one than is open. */
  take({ kind, text }: Pick<Token, 'kind' | 'text'>): number | null {
    if (kind !== 'sign' && kind !== 'template') return this.#open.length;
    const closes = kind === 'sign' ? opening[text] : text.startsWith('}') ? '${' : undefined;
    if (closes !== undefined && this.#open.pop() !== closes) return null;
    const depth = this.#open.length;
    if (kind === 'sign' ? '([{'.includes(text) : text.endsWith('${')) this.#open.push(kind === 'sign' ? text : '${');
    return depth;
  }
}

interface Around {
  readonly before: Token | undefined;
  readonly isInTemplate: boolean;
}

function tokenAt(script: string, at: number, around: Around): Pick<Token, 'kind' | 'text'> | null {
  const kind = kindAt(script, at, around);
  if (kind === null) return null;
  const pattern = patterns[kind];
  pattern.lastIndex = at;
  const text = pattern.exec(script)?.[0];
  return text === undefined ? null : { kind, text };
}

function kindAt(script: string, at: number, { before, isInTemplate }: Around): Token['kind'] | null {
  const first = script[at]!;
  if (/[\w$#]/.test(first)) return 'word';
  if (/\s/.test(first)) return 'gap';
  if (first === "'" || first === '"') return 'string';
  if (first === '`' || (first === '}' && isInTemplate)) return 'template';
  if (first !== '/') return 'sign';
  const second = script[at + 1];
  return second === '/' || second === '*' ? 'gap' : slashAfter(before, second === ' ' || second === '=');
}

/** A slash divides after a value, and otherwise begins a pattern. Null: what stands before may be either. */
function slashAfter(before: Token | undefined, isSpaced: boolean): 'pattern' | 'sign' | null {
  if (before === undefined) return 'pattern';
  const { kind, text } = before;
  if (kind === 'word') return wordsBeforeValue.has(text) ? 'pattern' : 'sign';
  if (kind !== 'sign') return 'sign';
  if (text === ']') return 'sign';
  if (text === ')') return isSpaced ? 'sign' : null;
  return '}+-'.includes(text) ? null : 'pattern';
}
