/** `npm run build` runs this, once for all starts of the service: it bundles the pages' modules, makes pages of the documents for clients, and compresses what browsers load as well as it can be. */
import { copyFileSync, globSync, mkdirSync, readdirSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, posix } from 'node:path';
import { bundlePages } from './bundle-pages.ts';
import { guideFile, guidesOf, guidePath, linksIn, type GuideName } from '../core/http/guides.ts';
import { loadFeatures } from '../features.ts';
import { builtDir, projectDir } from '../project/project.ts';
import { replaceFile } from '../core/files/replace.ts';
import { pagesFolder, fileGroups, vendorFiles, vendorFolder } from '../core/http/file-groups.ts';
import { compress, compressedDir, compressedName, encodings } from '../core/http/content.ts';
import { messageOf } from '../words.ts';
import { htmlOfMarkdown } from './markdown.ts';

async function buildPages(): Promise<void> {
  const web = join(projectDir, 'web');
  const { files: bundled, packages } = await bundlePages(web);
  rmSync(pagesFolder, { recursive: true, force: true });
  mkdirSync(pagesFolder, { recursive: true });
  for (const file of globSync('*/*.{html,css,svg}', { cwd: web }))
    copyFileSync(join(web, file), join(pagesFolder, basename(file)));
  for (const [name, code] of bundled) writeFileSync(join(pagesFolder, name), code);
  for (const [name, html] of guidesInHtml(guidesOf(await loadFeatures())))
    writeFileSync(join(pagesFolder, guideFile(name)), html);
  // For what installs the program, as libraries.json of the program's own bundles.
  writeFileSync(join(builtDir, 'page-libraries.json'), `${JSON.stringify(packages)}\n`);
}

function copyVendorFiles(): void {
  const require = createRequire(import.meta.url);
  for (const [name, files] of Object.entries(vendorFiles)) {
    const from = dirname(require.resolve(`${name}/package.json`));
    mkdirSync(join(vendorFolder, name), { recursive: true });
    for (const file of files) copyFileSync(join(from, file), join(vendorFolder, name, basename(file)));
  }
}

async function compressStatic(): Promise<void> {
  mkdirSync(compressedDir, { recursive: true });
  const contents = Object.values(fileGroups()).flatMap((group) => group.contents);
  const wanted = contents.flatMap(({ bytes, hash }) =>
    encodings.map((encoding) => ({ bytes, encoding, name: compressedName(hash, encoding) })),
  );
  const names = new Set(wanted.map(({ name }) => name));
  const present = new Set(readdirSync(compressedDir));
  for (const name of present) if (!names.has(name)) rmSync(join(compressedDir, name));
  const missing = wanted.filter(({ name }) => !present.has(name));
  await Promise.all(
    missing.map(async ({ bytes, encoding, name }) => {
      const compressed = await compress(bytes, encoding, { best: true });
      // Under its name it is whole, also when the build is stopped.
      await replaceFile(join(compressedDir, name), (part) => part.writeFile(compressed));
    }),
  );
}

// The documents for clients, as pages of the service.

/** A reference to a decision of the project, which its clients do not have. */
const DECISION = /\s\(\[decision \d+\]\([^)]*\)\)/g;

/** Where the document of a guide is, in the project. */
const fileOf = (name: GuideName): string =>
  name === 'changelog' || name === 'security' ? `${name.toUpperCase()}.md` : `docs/${name}.md`;

/**
 * Returns the HTML of guides by their names. A link to another one leads to its page, and one to anything else of the project, or to a section for operators,
 * is words alone. @throws Error that names the document that cannot be read.
 */
function guidesInHtml(names: readonly GuideName[]): ReadonlyMap<GuideName, string> {
  const nameOf = new Map(names.map((name) => [fileOf(name), name]));
  const pages = new Map(names.map((name) => [name, pageOf(fileOf(name), nameOf)]));
  const isThere = (href: string): boolean => {
    const [, name, id] = /^\/docs\/([\w-]+)(?:#(.+))?$/.exec(href) ?? [];
    return name === undefined || id === undefined || (pages.get(name)?.includes(` id="${id}"`) ?? false);
  };
  return new Map([...pages].map(([name, html]) => [name, linksIn(html, isThere)]));
}

function pageOf(file: string, nameOf: ReadonlyMap<string, GuideName>): string {
  const linkOf = (href: string): string | null => {
    if (/^https?:/.test(href)) return href;
    const [path = '', id] = href.split('#');
    const target = path === '' ? file : posix.join(posix.dirname(file), path);
    if (target === 'docs/openapi.json') return '/openapi.json';
    const name = nameOf.get(target);
    if (name === undefined) return null;
    return id === undefined ? guidePath(name) : `${guidePath(name)}#${id}`;
  };
  try {
    return htmlOfMarkdown(readFileSync(join(projectDir, file), 'utf8').replaceAll(DECISION, ''), linkOf);
  } catch (cause) {
    throw new Error(`${file}: ${messageOf(cause)}`, { cause });
  }
}

await buildPages();
copyVendorFiles();
await compressStatic();
