/** What root and what somebody without rights can do with the command of an installed package, and with which files. */
import { expect } from 'chai';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { builtPackage } from './built-package.ts';
import { InstalledCopy } from './installed-copy.ts';

const PLACES = `printf 'address\\n"12 Main St W, Sampleton, ON"\\n' > places.csv; chmod 600 places.csv`;
const SUDO = /^land-lookup: [^\n]*: run it with sudo\n$/;

describe('The command of an installed package', function () {
  this.timeout(600_000);
  const folder = temporaryFolder();
  const machine = new InstalledCopy(folder.path);
  const root = (script: string) => machine.asRoot(`mkdir -p /root/mine && cd /root/mine && { ${script}; }`);
  const ada = (script: string) => machine.asUser('ada', script);

  before(function () {
    if (machine.asRoot('true').status !== 0) {
      console.log('skipped: mounts of its own are not permitted here');
      this.skip();
    }
    const { status, stderr } = root(
      `dpkg --force-depends -i ${builtPackage().file} && land-lookup load-layers --sample && land-lookup load-addresses --sample && ${PLACES}`,
    );
    expect(status, stderr).to.equal(0);
    expect(ada(PLACES).status).to.equal(0);
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  it('does for everybody what needs nothing of the service', () => {
    for (const run of [ada, root]) {
      expect(run('land-lookup --version').stdout).to.match(/^land-lookup \d/);
      expect(run('land-lookup').stderr + run('land-lookup').stdout).to.contain('Usage: land-lookup');
      expect(run('land-lookup keys create --help').stdout).to.contain('Usage: land-lookup keys create');
      // The first thing that a client of a server asks for.
      expect(run('land-lookup batch run places.csv').stderr).to.contain('give an API key');
      const checked = run('echo PORT=8099 > my.env; chmod 600 my.env; land-lookup check-config --settings my.env');
      expect(checked.stdout, checked.stderr).to.match(/^PORT +8099 +my.env$/m);
    }
    const { stdout } = root('land-lookup --version --json');
    expect(JSON.parse(stdout)).to.include.keys('version', 'commit', 'node', 'gdal', 'sqlite', 'formats');
    expect(root('ls -A /run').stdout).to.equal('');
  });

  it('tells everybody else in one sentence to use sudo', () => {
    for (const command of [
      ...['lookup --at 44,-79', 'lookup --file places.csv --out answers.csv', 'keys list', 'keys create --name --help'],
      ...['load-layers --sample', 'snapshot list', 'usage report', 'check-config', 'serve', 'backup --to .'],
      'check-config --settings /etc/land-lookup/land-lookup.env',
    ]) {
      const { status, stdout, stderr } = ada(`land-lookup ${command}`);
      expect([status, stdout], command).to.deep.equal([1, '']);
      expect(stderr, command).to.match(SUDO);
    }
  });

  it('lets root look up files of its own folder, which the service cannot read, and write there', () => {
    const csv = root(
      'land-lookup lookup --file places.csv --out=answers.csv; ls -A; stat -c %U answers.csv; cat answers.csv',
    );
    expect(csv.stderr).to.match(/^1 rows: 1 found/);
    expect(csv.stdout).to.match(
      /^answers\.csv\nmy\.env\nplaces\.csv\nroot\nrow,custom_id,[^\n]*\n1,,200,,"12 Main St W, Sampleton/,
    );
    expect(root('land-lookup lookup --file=places.csv --out answers.geojson; cat answers.geojson').stdout).to.match(
      /^\{"type":"FeatureCollection"/,
    );
    expect(root('land-lookup lookup --file places.csv --format csv').stdout).to.match(/^row,custom_id/);
    expect(root('land-lookup lookup --file - < places.csv').stdout).to.match(/^\{"address":"12 Main St W/);
    expect(
      root('SUDO_UID=$(id -u ada) SUDO_GID=$(id -g ada) land-lookup lookup --file places.csv --out /home/ada/a.csv')
        .status,
    ).to.equal(0);
    expect(ada('stat -c "%U %a" a.csv; rm a.csv').stdout).to.equal('ada 644\n');
  });

  it('imports what the service can read, whatever the mask of root, and gives nobody else more', () => {
    const imported = root('umask 077; land-lookup load-layers --sample && land-lookup load-addresses --sample');
    expect(imported.status, imported.stderr).to.equal(0);
    expect(root('stat -c %a /var/lib/land-lookup/current/ /var/lib/land-lookup/current/manifest.json').stdout).to.equal(
      '2750\n640\n',
    );
    const read = machine.asRoot(
      'cd /; setpriv --reuid land-lookup --regid land-lookup --clear-groups land-lookup lookup --at 44,-79',
    );
    expect(read.status, read.stderr).to.equal(0);
  });

  it('leaves earlier answers as they were when there are none', () => {
    expect(root('echo earlier > kept.csv; cp places.csv bad.csv; printf "\\377\\n" >> bad.csv').status).to.equal(0);
    for (const [options, words] of [
      ['--file bad.csv --out kept.csv', 'is not UTF-8'],
      ['--file none.csv --out kept.csv', 'none.csv cannot be read'],
      ['--file places.csv --out places.csv', 'must be another file'],
      ['--file places.csv --out kept.csv --resume', 'leave out --resume'],
      ['--file places.csv --out none/kept.csv', 'none/kept.csv cannot be written'],
      ['--file places.csv --out kept.csv --layers nothing', 'nothing'],
    ] as const) {
      const { status, stderr } = root(`land-lookup lookup ${options}`);
      expect(status, options).to.equal(1);
      expect(stderr, options).to.contain(words);
    }
    expect(root('cat kept.csv; head -n 1 places.csv; ls -A | wc -l').stdout).to.equal('earlier\naddress\n6\n');
  });

  it('lets the user of the service, and whoever may read the data, work without sudo', () => {
    const granted = machine.asRoot('usermod -aG land-lookup ada').status;
    expect(granted).to.equal(0);
    const resumed = ada('land-lookup lookup --file places.csv --out mine.csv --resume; cat mine.csv');
    expect(resumed.stdout, resumed.stderr).to.match(/^row,custom_id/);
    expect(ada('land-lookup keys list').stderr).to.match(SUDO);
    expect(
      machine.asRoot('cd /; setpriv --reuid land-lookup --regid land-lookup --clear-groups land-lookup keys list')
        .stdout,
    ).to.contain('last used');
  });
});
