import { tokensOf, type Token } from './script-tokens.ts';

/** A module of the page, taken apart. */
export interface ModuleParts {
  readonly imports: readonly Import[];
  /** Modules that `import()` loads. */
  readonly loads: readonly string[];
  /** An expression for each name that it exports. */
  readonly exports: ReadonlyMap<string, string>;
  /** The rest, without comments and indentation. */
  readonly code: string;
}

export interface Import {
  /** File name of the other module. */
  readonly from: string;
  /** Names there, each with the name here. */
  readonly names: readonly (readonly [string, string])[];
  /** Name here of the whole module. */
  readonly all: string | undefined;
}

/** Returns the name of the variable that holds a module in a joined file. */
export const variableOf = (module: string): string => `module_${module.replace(/\W/g, '_')}`;

const FROM = String.raw`'\./(?<from>[\w.-]+)'`;
const IMPORT = new RegExp(String.raw`^import (?:(?:\{ (?<names>[^}]*)\}|\* as (?<all>[\w$]+)) from )?${FROM} ;$`);
const EXPORT = new RegExp(String.raw`^export \{ (?<names>[^}]*)\} from ${FROM} ;$`);
const DECLARATION = /^export (?:(?:(?:async )?function (?:\* )?|class )(?<name>[\w$]+) |const (?<constant>[\w$]+) = )/;
const LOAD = new RegExp(String.raw`^import \( (?:${FROM} \)|[\w$]|\x60\$\{)`);

/** Tokens that tell what begins here: words and gaps by turns. */
const BEGINNING = 12;

/**
 * Takes a module apart. It knows what the modules of `web/` use: names of modules beside it, or all of such a module, and exported constants, functions
 * and classes. @throws Error with the statement that is something else.
 */
export function partsOf(source: string): ModuleParts {
  const tokens = tokensOf(source);
  const imports: Import[] = [];
  const loads: string[] = [];
  const exports = new Map<string, string>();
  const code: string[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const { kind, text } = tokens[i]!;
    const begins = beginsAt(tokens, i);
    if (begins === null || begins === 'load') {
      if (begins !== null) loads.push(...loadedBy(beginningAt(tokens, i)));
      code.push(kind === 'gap' ? shortGap(text) : text);
      continue;
    }
    const declared = declaredBy(beginningAt(tokens, i));
    if (declared !== undefined) {
      exports.set(declared, declared);
      continue;
    }
    const end = tokens.findIndex((token, at) => at > i && token.depth === 0 && token.text === ';');
    const statement = textOf(tokens.slice(i, end < 0 ? undefined : end + 1));
    imports.push(begins === 'import' ? importBy(statement) : exportBy(statement, exports));
    i = end;
  }
  return { imports, loads, exports, code: code.join('').trim() };
}

/** Says what of a module's own begins with a token: a statement at its top level, or `import()` anywhere. */
function beginsAt(tokens: readonly Token[], at: number): 'import' | 'export' | 'load' | null {
  const { kind, text, depth } = tokens[at]!;
  if (kind !== 'word') return null;
  const isTop = depth === 0;
  if (isTop && text === 'await') throw new Error('it waits at its top level');
  if (isTop && text === 'export') return 'export';
  if (text !== 'import') return null;
  const [, sign] = /^import ([(.])/.exec(beginningAt(tokens, at)) ?? [];
  return sign === '(' ? 'load' : isTop && sign === undefined ? 'import' : null;
}

const beginningAt = (tokens: readonly Token[], at: number): string => textOf(tokens.slice(at, at + BEGINNING));

/** A line end may end a statement. */
const shortGap = (gap: string): string => (gap.includes('\n') ? '\n' : ' ');

const textOf = (tokens: readonly Token[]): string =>
  tokens.flatMap(({ kind, text }) => (kind === 'gap' ? [] : [text])).join(' ');

function declaredBy(statement: string): string | undefined {
  const { name, constant } = DECLARATION.exec(statement)?.groups ?? {};
  return name ?? constant;
}

function importBy(statement: string): Import {
  const { from, names = '', all } = groupsOf(IMPORT, statement);
  return { from: from!, names: namesIn(names), all };
}

/** Adds what is passed on from another module. */
function exportBy(statement: string, exports: Map<string, string>): Import {
  const { from, names } = groupsOf(EXPORT, statement);
  for (const [inner, outer] of namesIn(names!)) exports.set(outer, `${variableOf(from!)}.${inner}`);
  return { from: from!, names: [], all: undefined };
}

/** Of `a , b as c ,` the names before and after `as`. */
function namesIn(text: string): (readonly [string, string])[] {
  const items = text.split(',').map((item) => item.trim());
  return items
    .filter((item) => item !== '')
    .map((item) => {
      const [, inner, outer = inner] = /^([\w$]+)(?: as ([\w$]+))?$/.exec(item) ?? [];
      if (inner === undefined) throw new Error(`it names ${item}`);
      return [inner, outer!] as const;
    });
}

/** A module beside this one, or none: what an expression names is no part of the page. */
function loadedBy(expression: string): readonly string[] {
  const { from } = groupsOf(LOAD, expression);
  return from === undefined ? [] : [from];
}

function groupsOf(pattern: RegExp, statement: string): Readonly<Record<string, string | undefined>> {
  const found = pattern.exec(statement);
  if (!found) throw new Error(`it says ${statement.slice(0, 200)}`);
  return found.groups ?? {};
}
