/** The documents for clients, as pages of the service. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { guidePath, linksIn, type GuideName } from '../core/http/guides.ts';
import { projectDir } from '../project/project.ts';
import { messageOf } from '../words.ts';
import { htmlOfMarkdown } from './markdown.ts';

/** A reference to a decision of the project, which its clients do not have. */
const DECISION = /\s\(\[decision \d+\]\([^)]*\)\)/g;

/** Where the document of a guide is, in the project. */
const fileOf = (name: GuideName): string =>
  name === 'changelog' || name === 'security' ? `${name.toUpperCase()}.md` : `docs/${name}.md`;

/**
 * Returns the HTML of guides by their names. A link to another one leads to its page, and one to anything else of the project, or to a section for operators,
 * is words alone. @throws Error that names the document that cannot be read.
 */
export function guidesInHtml(names: readonly GuideName[]): ReadonlyMap<GuideName, string> {
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
