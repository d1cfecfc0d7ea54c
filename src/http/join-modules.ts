import { partsOf, variableOf, type ModuleParts } from './module-parts.ts';

/**
 * Joins modules of a folder into files for pages: one for each module that a page names, first what it loads first. In a file is a function for each
 * module, in the order in which a browser would run them. A module is in the first file of the page that needs it, and later files import it from there:
 * it runs once. @throws Error with the name of what cannot be joined, and for a module that no page needs.
 */
export function joinModules(
  sources: ReadonlyMap<string, string>,
  pages: readonly (readonly string[])[],
): Map<string, string> {
  const all = new Map([...sources].map(([name, source]) => [name, partsOfModule(name, source)]));
  const files = new Map<string, string>();
  const used = new Set<string>();
  for (const entries of pages) {
    const joined: Joined = { modules: new Map(), files: new Map() };
    for (const entry of entries) addModules(all, { name: entry, file: entry, way: [] }, joined);
    check(joined.modules, entries);
    for (const name of joined.modules.keys()) used.add(name);
    for (const entry of entries) files.set(entry, fileOf(entry, entries, joined));
  }
  const unused = [...sources.keys()].find((name) => !used.has(name));
  if (unused !== undefined) throw cannot(unused, 'no page needs it');
  return files;
}

function check(modules: ReadonlyMap<string, ModuleParts>, entries: readonly string[]): void {
  for (const [name, { imports, loads }] of modules) {
    const lost = loads.find((load) => !entries.includes(load));
    if (lost !== undefined) throw cannot(name, `it loads ${lost}, which is no file of its own`);
    for (const { from, names } of imports) {
      const [missing] = names.find(([there]) => !modules.get(from)!.exports.has(there)) ?? [];
      if (missing !== undefined) throw cannot(name, `${from} exports no ${missing}`);
    }
  }
}

interface Joined {
  /** In the order in which they run. */
  readonly modules: Map<string, ModuleParts>;
  /** The file in which each is. */
  readonly files: Map<string, string>;
}

interface Wanted {
  readonly name: string;
  readonly file: string;
  /** The modules that lead here. */
  readonly way: readonly string[];
}

function addModules(all: ReadonlyMap<string, ModuleParts>, { name, file, way }: Wanted, joined: Joined): void {
  // Names of a module that has not run yet would be undefined.
  if (way.includes(name)) throw cannot(name, `it imports itself: ${[...way, name].join(', ')}`);
  if (joined.modules.has(name)) return;
  const parts = all.get(name);
  if (parts === undefined) throw cannot(way.at(-1) ?? name, `there is no ${name}`);
  for (const { from } of parts.imports) addModules(all, { name: from, file, way: [...way, name] }, joined);
  joined.modules.set(name, parts);
  joined.files.set(name, file);
}

function partsOfModule(name: string, source: string): ModuleParts {
  try {
    return partsOf(source);
  } catch (cause) {
    throw cannot(name, cause instanceof Error ? cause.message : 'it is not understood', { cause });
  }
}

const cannot = (name: string, why: string, options?: ErrorOptions): Error =>
  new Error(`cannot join ${name}: ${why}`, options);

function fileOf(entry: string, entries: readonly string[], { modules, files }: Joined): string {
  const modulesIn = (file: string): string[] => [...modules.keys()].filter((name) => files.get(name) === file);
  const importsOf = (name: string): string[] => modules.get(name)!.imports.map(({ from }) => from);
  const neededBy = (file: string): Set<string> => new Set([file, ...modulesIn(file).flatMap(importsOf)]);
  const needed = neededBy(entry);
  const others = entries.filter((file) => file !== entry);
  const shared = modulesIn(entry).filter((name) => others.some((file) => neededBy(file).has(name)));
  return [
    ...others.map((file) =>
      importLine(
        file,
        modulesIn(file).filter((name) => needed.has(name)),
      ),
    ),
    ...modulesIn(entry).map((name) => functionOf(name, modules.get(name)!)),
    exportLines(entry, modules.get(entry)!, shared),
  ]
    .filter((text) => text !== '')
    .join('\n');
}

const importLine = (file: string, names: readonly string[]): string =>
  names.length === 0 ? '' : `import { ${names.map(variableOf).join(', ')} } from './${file}';`;

function functionOf(name: string, { imports, exports, code }: ModuleParts): string {
  const lines = imports.map(({ from, names, all }) => {
    const here = names.map(([there, own]) => (there === own ? own : `${there}: ${own}`));
    const taken = all ?? (here.length > 0 ? `{ ${here.join(', ')} }` : null);
    return taken === null ? '' : `const ${taken} = ${variableOf(from)};\n`;
  });
  const exported = [...exports].map(([outer, value]) => (outer === value ? outer : `${outer}: ${value}`));
  return `const ${variableOf(name)} = (() => {\n${lines.join('')}${code}\nreturn { ${exported.join(', ')} };\n})();`;
}

/** What other files take from this one, and the names that `import()` of the entry has. */
function exportLines(entry: string, { exports }: ModuleParts, shared: readonly string[]): string {
  const names = [...exports.keys()];
  const own = names.map((name) => `const exported_${name} = ${variableOf(entry)}.${name};\n`);
  const exported = [...shared.map(variableOf), ...names.map((name) => `exported_${name} as ${name}`)];
  return exported.length === 0 ? '' : `${own.join('')}export { ${exported.join(', ')} };`;
}
