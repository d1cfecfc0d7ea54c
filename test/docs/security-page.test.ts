/** What `SECURITY.md` says of versions, and the links of it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectDir } from '../../src/project/project.ts';

const page = readFileSync(join(projectDir, 'SECURITY.md'), 'utf8');

describe('SECURITY.md', () => {
  it('supports the version that is in the package', () => {
    const { version } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { version: string };
    const [supported, ...others] = [...page.matchAll(/^\| (\S+) +\| yes +\|$/gm)].map(([, name]) => name);
    expect([supported, others]).to.deep.equal([version.replace(/\.\d+$/, '.x'), []]);
  });

  it('names what is there, and stands in the README', () => {
    const files = [...page.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, file]) => file!);
    expect(files).to.have.length.above(2);
    expect(files.filter((file) => !existsSync(join(projectDir, file)))).to.deep.equal([]);
    expect(readFileSync(join(projectDir, 'README.md'), 'utf8')).to.contain('](SECURITY.md)');
  });
});
