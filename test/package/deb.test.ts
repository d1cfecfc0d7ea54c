/** The Debian package: its fields and rights, the same bytes from another folder, and lintian. `make test-deb` runs this. */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { builtPackage, run } from './built-package.ts';

describe('The Debian package', function () {
  this.timeout(3_600_000);
  const folder = temporaryFolder();
  let file = '';
  before(() => {
    ({ file } = builtPackage());
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  it('names its version, the libraries of the distribution, and settings that an upgrade keeps', () => {
    const field = (name: string): string => run(folder.path, 'dpkg-deb', '--field', file, name).trim();
    const { version } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { version: string };
    expect(field('Version')).to.match(new RegExp(`^${version}(\\+git\\d+\\.[0-9a-f]{12}(\\.changed)?)?~deb\\d+$`));
    expect(field('Version')).to.equal(
      `${run(projectDir, 'deploy/package-version').trim()}~deb${/(?<=~deb)\d+/.exec(file)![0]}`,
    );
    expect(field('Depends')).to.match(/libgdal\d+.* \(>= [\d.]+/);
    expect(field('Recommends')).to.equal('redis-server');
    expect(run(folder.path, 'dpkg-deb', '--info', file, 'conffiles').trim().split('\n')).to.deep.equal([
      '/etc/land-lookup/import.env',
      '/etc/land-lookup/land-lookup.env',
    ]);
  });

  it('belongs to root, and only root and the service can read settings and secrets', () => {
    const lines = run(folder.path, 'dpkg-deb', '--contents', file).trim().split('\n');
    const modes = new Map(lines.map((line) => [line.split(' ').filter(Boolean)[5], line.slice(0, 10)]));
    for (const line of lines) expect(line).to.match(/^\S{10} root\/root /);
    expect(modes.get('./etc/land-lookup/land-lookup.env')).to.equal('-rw-r-----');
    expect(modes.get('./etc/land-lookup/secrets/')).to.equal('drwx------');
    expect(modes.get('./usr/lib/land-lookup/release/bin/node')).to.equal('-rwxr-xr-x');
    const places = [...modes.keys()].map((path) => path!.split('/').filter(Boolean).slice(0, 3).join('/'));
    expect(new Set(places.filter((place) => !place.startsWith('./usr') && place !== '.'))).to.deep.equal(
      new Set(['./etc', './etc/land-lookup']),
    );
  });

  it('has the same bytes from another folder, with gdal-async compiled anew', () => {
    const clone = join(folder.path, 'clone');
    run(projectDir, 'git', 'clone', '--quiet', projectDir, clone);
    for (const name of ['node_modules', '.node']) run(projectDir, 'cp', '-a', name, join(clone, name));
    rmSync(join(clone, 'node_modules/gdal-async/lib/binding'), { recursive: true });
    run(clone, 'deploy/build-gdal');
    run(clone, 'npm', 'run', 'build');
    run(clone, 'deploy/build-deb', join(clone, 'out'));
    const again = join(clone, 'out', readdirSync(join(clone, 'out'))[0]!);
    expect(readFileSync(again).equals(readFileSync(file)), 'the bytes differ; are all changes committed?').to.equal(
      true,
    );
  });

  it('passes lintian without errors, and with warnings of what others have made alone', () => {
    const { status, stdout } = spawnSync('lintian', ['--fail-on', 'error', file], {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    expect(status, stdout).to.equal(0);
    const ours = stdout.split('\n').filter((line) => line !== '' && !line.includes('release/node_modules/'));
    expect(ours).to.deep.equal([]);
  });
});
