import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectDir } from '../../src/project.ts';

const read = (page: string): string => readFileSync(join(projectDir, 'docs', page), 'utf8');

/** Paths of the project that a page names between backquotes or before an arrow. */
function pathsIn(text: string): string[] {
  const found = text.match(/(?<![\w./-])(?:src|workers|layers|test|deploy|web|docs)\/[\w./*-]*\w\/?/g) ?? [];
  return [...new Set(found)];
}

describe('The pages for people who change the code', () => {
  for (const page of ['architecture.md', 'changing.md', 'threats.md']) {
    it(`name only what is there: ${page}`, () => {
      const paths = pathsIn(read(page));
      expect(paths).to.have.length.above(10);
      expect(paths.filter((path) => !existsSync(join(projectDir, path)))).to.deep.equal([]);
    });
  }

  it('explain every folder of the source', () => {
    const folders = ['src', 'workers'].flatMap((side) =>
      readdirSync(join(projectDir, side), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `| \`${side}/${name}/\``),
    );
    const tables = read('architecture.md').replace(/\| `src\/main\.ts`, /, '| ');
    expect(folders.filter((row) => !tables.includes(row))).to.deep.equal([]);
  });
});
