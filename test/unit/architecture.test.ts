import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { projectDir } from '../../src/project.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

/** The imports below a folder that break a rule, as `npm run lint` finds them. */
function forbiddenImports(folder: string): string[] {
  const bin = join(projectDir, 'node_modules', '.bin', 'depcruise');
  const options = ['--config', join(projectDir, 'dependency-rules.js'), '--output-type', 'json'];
  const { stdout, stderr } = spawnSync(bin, [...options, 'src', 'workers'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (stdout === '') throw new Error(stderr);
  const { summary } = JSON.parse(stdout) as {
    summary: { violations: { from: string; to: string; rule: { name: string } }[] };
  };
  return summary.violations.map(({ from, to, rule }) => `${from} -> ${to}: ${rule.name}`).sort();
}

describe('The imports between folders', () => {
  it('run downwards only, without circles', function () {
    this.timeout(240_000);
    expect(forbiddenImports(projectDir)).to.deep.equal([]);
  });

  it('fail the check when they are forbidden', function () {
    this.timeout(240_000);
    using folder = temporaryFolder();
    const files = {
      'src/http/app.ts': `import '../commands/serve.ts';`,
      'src/commands/serve.ts': `import '../../workers/lookup/place.ts';`,
      'src/shared/clock.ts': `import 'node:fs';`,
      'src/pool/pool.ts': `import './threads.ts';`,
      'src/pool/threads.ts': `import './pool.ts';`,
      'workers/lookup/place.ts': `import '../import/table.ts';`,
      'workers/import/table.ts': `import '../../src/config.ts';`,
      'workers/lookup/body.ts': `import '../../src/shared/wire/lookup.ts';`,
      'workers/lookup/body-type.ts': `import type { Body } from '../../src/shared/wire/lookup.ts';`,
      'src/shared/wire/lookup.ts': 'export type Body = string;',
      'src/config.ts': '',
      'src/attic/lost.ts': `import '../config.ts';`,
    };
    for (const [name, text] of Object.entries(files)) {
      const file = join(folder.path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${text}\nexport {};\n`);
    }
    expect(forbiddenImports(folder.path)).to.deep.equal([
      'src/attic/lost.ts -> src/config.ts: every folder has its place in the order',
      'src/commands/serve.ts -> workers/lookup/place.ts: src reaches workers only through the pool',
      'src/http/app.ts -> src/commands/serve.ts: src/http imports only what is below it',
      'src/pool/pool.ts -> src/pool/threads.ts: no circles',
      'src/shared/clock.ts -> fs: src/shared opens nothing',
      'workers/import/table.ts -> src/config.ts: workers import of src only src/shared',
      'workers/lookup/body.ts -> src/shared/wire/lookup.ts: threads load no schemas',
      'workers/lookup/place.ts -> workers/import/table.ts: workers/lookup imports only what is below it',
    ]);
  });
});

/** What reads a clock: those of the machine and the processor, and the time of day where it is compared with something. */
const CLOCKS = [
  /performance\.now|cpuUsage|resourceUsage|hrtime|monitorEventLoopDelay/,
  /Date\.now\(\)[^;]{0,80}\)\.to\.be\.(?:below|above|within|lessThan|greaterThan|closeTo|at)/,
  /\.to\.be\.(?:below|above|within|lessThan|greaterThan|closeTo|at\.\w+)\([^;]*Date\.now\(\)/,
];

/** Not run by `make test`. */
const ELSEWHERE = /^(?:bench|machine|package|real|release|stress|tools)\/|\.alone\.test\.ts$/;

/** Files of a test folder that read a clock, by their paths below it. */
function clockReaders(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !ELSEWHERE.test(name))
    .filter((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      return CLOCKS.some((clock) => clock.test(text));
    })
    .sort();
}

describe('The clock in tests', () => {
  const folder = join(projectDir, 'test');

  it('is read only by files for which test/README.md says why', () => {
    const rows = readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^\| `([\w/.-]+\.ts)` +\| /gm);
    const own = 'unit/architecture.test.ts';
    expect(clockReaders(folder).filter((name) => name !== own)).to.deep.equal([...rows].map(([, name]) => name).sort());
  });

  it('is found where it is read', () => {
    using made = temporaryFolder();
    mkdirSync(join(made.path, 'stress'));
    const files = {
      'one.test.ts': 'const startMs = performance.now();',
      'two.test.ts': 'expect(Date.parse(at) - Date.now()).to.be.within(0, 5);',
      'three.test.ts': 'expect(endMs).to.be.above(Date.now() - 5);',
      'four.test.ts': 'const { user } = process.cpuUsage();',
      'none.test.ts': 'const id = createBatchId(Date.now());',
      'five.alone.test.ts': 'performance.now();',
      'stress/six.ts': 'performance.now();',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(made.path, name), text);
    expect(clockReaders(made.path)).to.deep.equal(['four.test.ts', 'one.test.ts', 'three.test.ts', 'two.test.ts']);
  });
});

describe('Cases drawn by chance', () => {
  it('come from one seed in make test', () => {
    const folder = join(projectDir, 'test');
    const drawing = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .filter((name) => /^import .* from 'fast-check'/m.test(readFileSync(join(folder, name), 'utf8')));
    expect(drawing, 'import test/support/drivers/fast-check.ts').to.deep.equal([]);
  });
});
