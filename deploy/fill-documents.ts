/**
 * Puts the documents of the package into a folder, in the same places as in a clone, so that their links lead somewhere. A link to what is not shipped
 * (pictures, sources, tests) becomes its text. Beside them: the changelog as Debian has it. deploy/build-deb runs it.
 * Arguments: the folder, then what the first line and the last line of the changelog say: the version, the suite, the maintainer with the date.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const project = join(import.meta.dirname, '..');
const [target = '', version = '', suite = '', signature = ''] = process.argv.slice(2);

/** With the samples for proxies and for monitoring, which pages name by these paths. */
const shipped = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'docs', 'deploy/proxy', 'deploy/monitoring'];

/** Width of a line in Debian's changelog, without its indent. */
const WIDTH = 74;

const isPicture = (path: string): boolean => basename(path) === 'images' || /^\.(jpe?g|png|svg)$/.test(extname(path));

function copyDocuments(): void {
  for (const name of shipped) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    cpSync(join(project, name), join(target, name), { recursive: true, filter: (path) => !isPicture(path) });
  }
  for (const name of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
    const path = join(target, name);
    if (name.endsWith('.md')) writeFileSync(path, withoutDeadLinks(readFileSync(path, 'utf8'), dirname(path)));
  }
}

function withoutDeadLinks(text: string, folder: string): string {
  // Every second part is a block of code.
  const parts = text.split(/(^```[^]*?^```)/m);
  return parts.map((part, i) => (i % 2 === 1 ? part : unlinked(part, folder))).join('');
}

function unlinked(text: string, folder: string): string {
  return text.replace(/!?\[([^\]]*)\]\(([^)\s#]*)[^)\s]*\)/g, (link, words: string, file: string) =>
    file === '' || /^[a-z]+:/.test(file) || existsSync(join(folder, file)) ? link : words,
  );
}

/** All versions stand in one entry, because the changelog does not say on which days the earlier ones came. */
function debianChangelog(): string {
  const lines = [`land-lookup (${version}) ${suite}; urgency=medium`, ''];
  const [, ...sections] = readFileSync(join(project, 'CHANGELOG.md'), 'utf8').split(/^## /m);
  for (const section of sections) {
    const [heading = '', ...text] = section.split('\n');
    lines.push(`  [ ${heading} ]`, ...entriesOf(text.join('\n')).flatMap(wrapped), '');
  }
  lines.push(` -- ${signature}`, '');
  return lines.join('\n');
}

function entriesOf(section: string): readonly string[] {
  return section.split(/^### /m).flatMap((group) => {
    const [, kind, text = group] = /^([\w ]+)\n([^]*)$/.exec(group) ?? [];
    const entries = text.split(/^- /m).map((entry) => entry.replace(/\s+/g, ' ').trim());
    const withWords = entries.map((entry) => entry.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    return withWords.filter((entry) => entry !== '').map((entry) => (kind === undefined ? entry : `${kind}: ${entry}`));
  });
}

function wrapped(entry: string): readonly string[] {
  const lines = [''];
  for (const word of entry.split(' ')) {
    const last = lines.at(-1)!;
    if (last !== '' && last.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.map((line, i) => `${i === 0 ? '  * ' : '    '}${line}`);
}

copyDocuments();
writeFileSync(join(target, 'changelog.gz'), gzipSync(debianChangelog(), { level: 9 }));
