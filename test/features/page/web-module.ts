import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectDir } from '../../../src/project/project.ts';

/** Loads a module of the page; compiled tests stand in another folder, and the page is not compiled. */
export function webModule(name: string): Promise<unknown> {
  return import(pathToFileURL(join(projectDir, 'web', name)).href);
}
