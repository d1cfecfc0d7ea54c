/**
 * `npm run build` runs this: it joins the modules of the program, one file for each kind of thread and few for each command, with source maps
 * (docs/decisions/0255). A process or a thread that reads few files starts in less processor time than one that reads hundreds.
 */
import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { build, type OutputOptions } from 'rolldown';
import { builtDir, projectDir } from '../project/project.ts';
import { writtenFile } from '../project/validators.ts';

/**
 * Packages that stay outside: native modules, those that find files of their own by the place where they stand, the Redis client, and this bundler.
 */
const outside = ['gdal-async', 'better-sqlite3', 'piscina', 'ioredis', 'rolldown'];

/** What later steps of the build put beside the program. */
const besides = ['commit', basename(writtenFile)];

/** A package that another one uses where it is there. It is where the tests' packages are, so a build with it would differ from one without. */
const leftOut = 'supports-color';

/** What the validators that the build writes, and those of other schemas, load by `require` (src/project/validators.ts). */
const required = ['ajv'];

const isOutside = (id: string): boolean =>
  id === leftOut || outside.some((name) => id === name || id.startsWith(`${name}/`));

/** Folders of the packages whose modules are in what was written, such as `node_modules/express`. */
const inside = new Set<string>();

const packageOf = (file: string): string | undefined =>
  /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(relative(projectDir, file))?.[0];

/** Returns the paths of the files that it wrote into the folder. @throws Error for all that the bundler warns of. */
async function bundle(
  sources: readonly string[],
  folder: string,
  options: OutputOptions,
): Promise<ReadonlySet<string>> {
  const { output } = await build({
    input: sources.map((source) => join(projectDir, source)),
    platform: 'node',
    tsconfig: false,
    // The oldest one that runs it (package.json, engines).
    transform: { target: 'node22.18' },
    external: isOutside,
    // Libraries may have circles; those of the program are forbidden elsewhere. How long the bundler takes is no fault.
    checks: { circularDependency: false, bundlerTimings: false },
    onLog: (_, { message }) => {
      throw new Error(message);
    },
    output: {
      dir: folder,
      entryFileNames: '[name].js',
      sourcemap: true,
      // Only lines are looked up.
      sourcemapExcludeSources: true,
      // Names as they are: a service that runs from these files may load one after they were written again.
      minifyInternalExports: false,
      ...options,
    },
  });
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  for (const name of modules.map(packageOf)) if (name !== undefined) inside.add(name);
  return new Set(output.map(({ fileName }) => fileName));
}

/** The program, and later steps of the build: the commands, and what they share, are files of their own. */
async function bundleCommands(folder: string): Promise<void> {
  const entries = ['src/main.ts', 'src/build/write-validators.ts', 'src/build/build-static.ts'];
  const written = await bundle(entries, folder, { chunkFileNames: 'chunks/[name].js' });
  chmodSync(join(folder, 'main.js'), 0o755);
  removeOthers(join(folder, 'chunks'), (name) => written.has(`chunks/${name}`));
  removeOthers(folder, (name) => written.has(name) || ['chunks', ...besides].includes(name));
}

/** Each thread reads one file. */
async function bundleThreads(folder: string): Promise<void> {
  const names = readdirSync(join(projectDir, 'workers', 'threads'));
  for (const name of names) await bundle([`workers/threads/${name}`], folder, { codeSplitting: false });
  const written = new Set(names.flatMap((name) => [`${basename(name, '.ts')}.js`, `${basename(name, '.ts')}.js.map`]));
  removeOthers(folder, (name) => written.has(name));
}

/** Removes what an earlier build left. What is still there was written over, so that a program that runs meanwhile finds its files. */
function removeOthers(folder: string, isWritten: (name: string) => boolean): void {
  for (const name of readdirSync(folder)) if (!isWritten(name)) rmSync(join(folder, name), { recursive: true });
}

await bundleCommands(join(builtDir, 'src'));
await bundleThreads(join(builtDir, 'workers', 'threads'));
removeOthers(join(builtDir, 'workers'), (name) => name === 'threads');
// For what installs the program (deploy/fill-libraries.ts): it takes these packages along, and the licences of all.
const libraries = {
  inside: [...inside].sort(),
  outside: [...outside.filter((name) => name !== 'rolldown'), ...required],
};
writeFileSync(join(builtDir, 'libraries.json'), `${JSON.stringify(libraries, null, 1)}\n`);
