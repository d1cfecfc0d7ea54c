/** The version of a package: each commit has a higher one than those before it. */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { run } from './built-package.ts';

const isLater = (one: string, other: string): boolean =>
  spawnSync('dpkg', ['--compare-versions', `${one}~deb12`, 'gt', `${other}~deb12`]).status === 0;

describe('The version of a package', () => {
  it('grows with each commit, names it, and is that of package.json at its tag', () => {
    using folder = temporaryFolder();
    const clone = join(folder.path, 'clone');
    mkdirSync(join(clone, 'deploy'), { recursive: true });
    cpSync(join(projectDir, 'deploy/package-version'), join(clone, 'deploy/package-version'));
    const git = (...args: string[]): string =>
      run(clone, 'git', '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args).trim();
    const version = (): string => run(clone, 'deploy/package-version').trim();
    const commit = (is: string): void => {
      writeFileSync(join(clone, 'package.json'), JSON.stringify({ version: is }));
      git('add', '.');
      git('commit', '--quiet', '--allow-empty', '-m', 'a change');
    };
    writeFileSync(join(clone, 'package.json'), JSON.stringify({ version: '0.9.0' }));
    expect(version()).to.equal('0.9.0');
    git('init', '--quiet');
    const versions: string[] = [];
    for (const is of ['0.9.0', '0.9.0', '0.9.0']) {
      commit(is);
      versions.push(version());
    }
    expect(versions.at(-1)).to.equal(`0.9.0+git3.${git('rev-parse', '--short=12', 'HEAD')}`);
    commit('0.10.0');
    git('tag', 'v0.10.0');
    versions.push(version());
    expect(version()).to.equal('0.10.0');
    for (let n = 0; n < 8; n++) commit('0.10.0');
    versions.push(version());
    expect(version()).to.match(/^0\.10\.0\+git12\./);
    for (const [i, one] of versions.slice(1).entries()) expect(isLater(one, versions[i]!), one).to.equal(true);
    writeFileSync(join(clone, 'package.json'), JSON.stringify({ version: '0.10.0', more: true }));
    expect(version()).to.equal(`${versions.at(-1)!}.changed`);
    expect(isLater(version(), versions.at(-1)!)).to.equal(true);

    git('commit', '--quiet', '-am', 'more');
    run(folder.path, 'git', 'clone', '--quiet', '--depth', '1', `file://${clone}`, 'shallow');
    expect(() => run(join(folder.path, 'shallow'), 'deploy/package-version')).to.throw('git fetch --unshallow');
  });
});
