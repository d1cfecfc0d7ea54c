import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { builtDir, projectDir, runsFromSources } from '../../project/project.ts';

/** `npm run build` puts the files of `web/` here, with their modules bundled. */
export const pagesFolder = join(builtDir, 'web');

/** Only a program that runs from its own sources has the pages' sources to compare with: what is compiled serves what was built with it. */
const sources = runsFromSources ? join(projectDir, 'web') : null;

/** Returns the folder of the pages. @throws Error when they were not built, or when one of their sources has changed since. */
export function builtPages(built = pagesFolder, from = sources): string {
  const how = 'run "npm run build-pages"';
  if (!existsSync(built)) throw new Error(`the pages are not built: ${how}`);
  if (from === null) return built;
  const builtAtMs = statSync(built).mtimeMs;
  const names = ['', ...readdirSync(from, { recursive: true, encoding: 'utf8' })];
  const changed = names.find((name) => statSync(join(from, name)).mtimeMs > builtAtMs);
  if (changed !== undefined) throw new Error(`${join('web', changed)} has changed since the pages were built: ${how}`);
  return built;
}
