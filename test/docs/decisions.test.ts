/** The index of the decisions, and the links between the pages of the documentation. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectDir } from '../../src/project/project.ts';
import { deadLinks } from '../support/oracles/dead-links.ts';
import { decisionsIndex, indexFile } from '../tools/describe-decisions.ts';

const folder = join(projectDir, 'docs', 'decisions');

describe('the index of decisions', () => {
  const pages = readdirSync(folder).filter((file) => file !== 'README.md');

  it('is what the pages say', () => {
    expect(readFileSync(indexFile, 'utf8'), 'run "npm run describe-decisions"').to.equal(decisionsIndex());
  });

  it('links every page once, in the order of the numbers', () => {
    const links = decisionsIndex().matchAll(/^- \[\d{4}\]\((.+\.md)\) .{15,}$/gm);
    expect(pages).to.have.length.greaterThan(30);
    expect([...links].map(([, file]) => file)).to.deep.equal(pages.sort());
  });

  it('has one page for each number', () => {
    const numbers = pages.map((file) => file.slice(0, 4));
    expect(new Set(numbers)).to.have.property('size', numbers.length);
  });
});

describe('the links of the documentation', () => {
  const docs = readdirSync(join(projectDir, 'docs'), { encoding: 'utf8', recursive: true });
  const pages = [
    'README.md',
    'SECURITY.md',
    ...docs.filter((file) => file.endsWith('.md')).map((file) => join('docs', file)),
    ...globSync('src/**/*.md', { cwd: projectDir }),
  ];

  it('lead somewhere', () => {
    expect(pages).to.have.length.greaterThan(40);
    for (const page of pages) expect(deadLinks(join(projectDir, page)), page).to.deep.equal([]);
  });
});

describe('the references to decisions', () => {
  const numbers = new Set(readdirSync(folder).map((file) => file.slice(0, 4)));
  const reference = /decisions?[ /]\[?(\d{4})\b((?:(?:, | and | to )\d{4}\b)*)/gi;

  for (const part of ['src', 'workers', 'web', 'test', 'deploy', 'docs'])
    it(`lead to a page, in ${part}/`, () => {
      const files = readdirSync(join(projectDir, part), { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile() && /(\.(ts|js|md|service)|^[a-z-]+)$/.test(file.name))
        .map((file) => join(file.parentPath, file.name));
      expect(files).to.have.length.greaterThan(5);
      for (const file of files)
        for (const [text, first, more] of readFileSync(file, 'utf8').matchAll(reference))
          for (const number of [first!, ...(more!.match(/\d{4}/g) ?? [])])
            expect(numbers.has(number), `${file}: ${text}`).to.equal(true);
    });
});
