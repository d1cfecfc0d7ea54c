import { readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { build, type RolldownOutput } from 'rolldown';

/** The modules that become files for each page: what it loads first, then what that loads by `import()`. The texts of a language are files of their own. */
const pages: readonly (readonly string[])[] = [
  ['app/main', 'answers/views', 'map/map', 'app/files', 'batch/batch', 'app/kml'],
  ['account/account'],
  ['signup/signup'],
];

/** The folder of a package in the path of a module. */
const PACKAGE = /(?<=\/)node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Scripts that are no modules where browsers load them. */
const plainScripts: readonly string[] = ['shared/early', 'docs/docs'];

/**
 * Bundles the modules of a folder, and returns the files by name, whatever folder their sources are in, and the folders of the packages that are in them. A module is in the first file of its page that needs it, and later files import it from
 * there (docs/decisions/0255). @throws Error for all that the bundler warns of, and for a module that no page needs.
 */
export async function bundlePages(
  web: string,
  entriesOfPages = pages,
  scripts = plainScripts,
): Promise<{ files: Map<string, string>; packages: readonly string[] }> {
  const files = new Map<string, string>();
  const packages = new Set<string>();
  const unused = new Set(
    readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts')),
  );
  const bundles = [
    ...entriesOfPages.map((entries) => bundlePage(web, entries)),
    ...scripts.map((script) => bundlePage(web, [script], 'iife')),
  ];
  for (const chunks of bundles) {
    for (const chunk of await chunks) {
      if (chunk.type !== 'chunk') continue;
      const { fileName, code, moduleIds } = chunk;
      if ((files.get(fileName) ?? code) !== code) throw new Error(`${fileName} differs from page to page`);
      files.set(fileName, code);
      for (const id of moduleIds) unused.delete(relative(web, id));
      for (const own of moduleIds.flatMap((id) => PACKAGE.exec(id) ?? [])) packages.add(own);
    }
  }
  if (unused.size > 0) throw new Error(`no page needs ${[...unused].join(', ')}`);
  return { files, packages: [...packages].sort() };
}

async function bundlePage(
  web: string,
  entries: readonly string[],
  format: 'es' | 'iife' = 'es',
): Promise<RolldownOutput['output']> {
  const pathOf = (name: string): string => join(web, `${name}.ts`);
  const { output } = await build({
    input: Object.fromEntries(entries.map((name) => [basename(name), pathOf(name)])),
    // That of web/ is for the type checker.
    tsconfig: false,
    // Later files import more from a file than its module exports.
    preserveEntrySignatures: 'allow-extension',
    // Names of a module that has not run yet would be undefined. How long the bundler takes is no fault.
    checks: { circularDependency: true, bundlerTimings: false },
    onLog: (_, { message }) => {
      throw new Error(message);
    },
    write: false,
    output: {
      format,
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      // The first group that reaches a module has it.
      codeSplitting: format === 'es' && {
        groups: entries.map((name) => ({ name: basename(name), test: pathOf(name) })),
      },
      comments: false,
      minify: true,
    },
  });
  return output;
}
