/** `npm run describe-decisions` writes `docs/decisions/README.md`: the number, the title and one sentence of each page. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectDir } from '../../src/project/project.ts';

const folder = join(projectDir, 'docs', 'decisions');

const intro = `# Decisions

Each page records one decision: the situation, what was decided, and what follows from it. Some pages join several
decisions of one theme; missing numbers are pages that went into such a page. All pages listed here are in force. This
list is made by \`npm run describe-decisions\` from the title of each page and the sentence below it.
`;

/** How every page begins: `# 0001 Title`, an empty line, `**In short.** One sentence.`, and an empty line. */
const beginning = /^# (\d{4}) (.+)\n\n\*\*In short\.\*\* (.+(?:\n.+)*\.)\n\n/;

/** The text of the index. @throws Error naming a page that begins otherwise */
export function decisionsIndex(): string {
  const pages = readdirSync(folder).filter((file) => file !== 'README.md');
  return `${intro}\n${pages.sort().map(entryOf).join('')}`;
}

function entryOf(file: string): string {
  const [, number, title, sentence] = beginning.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
  if (number === undefined || !file.startsWith(`${number}-`))
    throw new Error(
      `docs/decisions/${file} begins with "# NNNN Title", an empty line and "**In short.** One sentence."`,
    );
  return `- **${number}** [${title}](${file}): ${sentence!.replaceAll('\n', ' ')}\n`;
}

/** `docs/decisions/README.md` of this project. */
export const indexFile = join(folder, 'README.md');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeFileSync(indexFile, decisionsIndex());
