/** The documents in the Debian package: their links, the changelog, and the pages of the manual. */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { projectDir } from '../../src/project/project.ts';
import { deadLinks } from '../support/oracles/dead-links.ts';
import { builtPackage, run } from './built-package.ts';

describe('The documents in the Debian package', function () {
  this.timeout(600_000);
  let documents = '';
  before(() => {
    documents = join(builtPackage().root, 'usr/share/doc/land-lookup');
  });

  it('have links that lead somewhere, to files and to headings', () => {
    const pages = readdirSync(documents, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
    expect(pages).to.include.members(['README.md', 'CHANGELOG.md', 'SECURITY.md', 'docs/operations.md']);
    for (const page of pages) expect(deadLinks(join(documents, page)), page).to.deep.equal([]);
    // Only pictures, sources and tests are not shipped, so nearly all links are still there.
    const linksOf = (folder: string): number =>
      pages.flatMap((page) => [...readFileSync(join(folder, page), 'utf8').matchAll(/[^!]\[[^\]]*\]\([^)]+\)/g)])
        .length;
    expect(linksOf(documents)).to.be.above(linksOf(projectDir) - 10);
  });

  it('have every entry of the changelog, as Debian writes it', () => {
    const file = join(documents, 'changelog.gz');
    const text = gunzipSync(readFileSync(file)).toString();
    const words = text.replace(/\s+/g, ' ');
    const entries = [...readFileSync(join(projectDir, 'CHANGELOG.md'), 'utf8').matchAll(/^- ([^[\n]+)$/gm)];
    expect(entries.length).to.be.above(50);
    for (const [, entry] of entries) expect(words).to.contain(entry!.trim());
    for (const line of text.split('\n')) expect(line.length, line).to.be.below(120);
    const version = run(documents, 'dpkg-deb', '--field', builtPackage().file, 'Version').trim();
    expect(run(documents, 'dpkg-parsechangelog', '--file', file, '--show-field', 'Version').trim()).to.equal(version);
  });

  it('have a page of the manual for each command', () => {
    const { root } = builtPackage();
    for (const [command, page] of [
      ['usr/bin/land-lookup', 'man1/land-lookup.1.gz'],
      ['usr/sbin/land-lookup-use-release', 'man8/land-lookup-use-release.8.gz'],
    ] as const) {
      expect(readFileSync(join(root, command)).length).to.be.above(0);
      const text = gunzipSync(readFileSync(join(root, 'usr/share/man', page))).toString();
      expect(text)
        .to.match(/^\.TH land-lookup/)
        .and.to.contain('/usr/share/doc/land-lookup/docs/operations.md');
    }
  });
});
