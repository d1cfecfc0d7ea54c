/** `npm run describe-decisions` writes `docs/decisions/README.md`: the number and the title of each page. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectDir } from '../../src/project/project.ts';

const folder = join(projectDir, 'docs', 'decisions');

const intro = `# Decisions

Each page records one decision: the situation, what was decided, and what follows from it. All pages listed here are in
force. A number that is missing belongs to a page that was replaced or joined to another one, and is not used again.
\`npm run describe-decisions\` makes this list from the titles of the pages.
`;

/** How every page begins: `# 0001 Title`, which says the decision, and an empty line. */
const beginning = /^# (\d{4}) (.+)\n\n/;

/** The text of the index. @throws Error naming a page that begins otherwise */
export function decisionsIndex(): string {
  const pages = readdirSync(folder).filter((file) => file !== 'README.md');
  return `${intro}\n${pages.sort().map(entryOf).join('')}`;
}

function entryOf(file: string): string {
  const [, number, title] = beginning.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
  if (number === undefined || !file.startsWith(`${number}-`))
    throw new Error(`docs/decisions/${file} begins with "# NNNN Title" and an empty line`);
  return `- [${number}](${file}) ${title}\n`;
}

/** `docs/decisions/README.md` of this project. */
export const indexFile = join(folder, 'README.md');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeFileSync(indexFile, decisionsIndex());
