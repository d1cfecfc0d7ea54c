import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { projectDir } from '../../src/project/project.ts';
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
      'src/core/http/app.ts': `import '../../commands/serve.ts'; import '../terminal/waits.ts';`,
      'src/core/terminal/waits.ts': '',
      'src/commands/serve.ts': `import '../../workers/engine/answers/place.ts';`,
      'src/messages/clock.ts': `import 'node:fs';`,
      'src/core/pool/pool.ts': `import './threads.ts';`,
      'src/core/pool/threads.ts': `import './pool.ts';`,
      'workers/engine/answers/place.ts': `import '../../import/table.ts';`,
      'workers/import/table.ts': `import '../../src/config.ts';`,
      'workers/engine/cells/leaf.ts': `import '../kinds/count.ts'; import '../../maps/map.ts';`,
      'workers/engine/kinds/count.ts': '',
      'workers/engine/attic/old.ts': `import '../kinds/count.ts';`,
      'workers/maps/map.ts': `import '../areas/area.ts';`,
      'workers/areas/area.ts': '',
      'workers/threads/lookup.ts': `import '../maps/map.ts';`,
      'workers/threads/features.ts': `import '../maps/map.ts';`,
      'workers/engine/answers/body.ts': `import '../../../src/messages/wire/lookup.ts';`,
      'workers/engine/answers/body-type.ts': `import type { Body } from '../../../src/messages/wire/lookup.ts';`,
      'src/messages/wire/lookup.ts': 'export type Body = string;',
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
      'src/commands/serve.ts -> workers/engine/answers/place.ts: src reaches workers only through the pool',
      'src/core/http/app.ts -> src/commands/serve.ts: src/core imports only what is below it',
      'src/core/http/app.ts -> src/core/terminal/waits.ts: src/core/http imports only what is below it',
      'src/core/pool/pool.ts -> src/core/pool/threads.ts: no circles',
      'src/messages/clock.ts -> fs: what workers and src share opens nothing',
      'workers/engine/answers/body.ts -> src/messages/wire/lookup.ts: threads load no schemas',
      'workers/engine/answers/place.ts -> workers/import/table.ts: workers/engine imports only what is below it',
      'workers/engine/attic/old.ts -> workers/engine/kinds/count.ts: every folder has its place in the order',
      'workers/engine/cells/leaf.ts -> workers/engine/kinds/count.ts: workers/engine/cells imports only what is below it',
      'workers/engine/cells/leaf.ts -> workers/maps/map.ts: workers/engine imports only what is below it',
      'workers/import/table.ts -> src/config.ts: workers import of src only addresses, catalogue and messages',
      'workers/maps/map.ts -> workers/areas/area.ts: no feature of a thread imports another',
      'workers/threads/lookup.ts -> workers/maps/map.ts: the thread of lookups knows features only from workers/threads/features.ts',
    ]);
  });
});

describe('The rules of the linter', () => {
  const WORKERS_PACKAGES = ['express', 'undici', 'ioredis', 'winston', 'rate-limiter-flexible'];

  /** `file: rule` of each fault that the linter finds in these files, with the configuration of the project. */
  function faultsIn(files: Readonly<Record<string, string>>): string[] {
    using folder = temporaryFolder();
    for (const name of ['.oxlintrc.json', 'tsconfig.json'])
      copyFileSync(join(projectDir, name), join(folder.path, name));
    symlinkSync(join(projectDir, 'node_modules'), join(folder.path, 'node_modules'));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder.path, name)), { recursive: true });
      writeFileSync(join(folder.path, name), text);
    }
    const bin = join(folder.path, 'node_modules', '.bin', 'oxlint');
    const { stdout } = spawnSync(bin, ['-f', 'json', 'src', 'workers', 'test'], { cwd: folder.path, encoding: 'utf8' });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { filename: string; code: string }[] };
    return diagnostics.map(({ filename, code }) => `${filename}: ${code.replace(/^\w+\((.+)\)$/, '$1')}`).sort();
  }

  it('find what this project forbids', () => {
    const every = ['console.log(0);', 'export const { env } = process;', "export { open } from 'gdal-async';"];
    const ifs = Array.from({ length: 12 }, (_, i) => `if (x === ${i}) return ${i};`).join(' ');
    const files = {
      'src/core/http/places.ts': [...every, 'void fetch("/");', 'export const home = process.env["HOME"];'],
      'src/core/http/forms.ts': [
        'export const late = async (): Promise<void> => { await Promise.resolve(); };',
        'export const start = (): void => { late(); };',
        'export const text = (x: readonly string[], y: number): string => `${x} of ${y}`;',
        `export const many = (x: number): number => { ${ifs} return x; };`,
        'export const deep = (x: number): void => { if (x) { if (x > 1) { if (x > 2) { if (x > 3) start(); } } } };',
      ],
      'src/core/http/type.ts': [
        "import { Stats } from 'node:fs';",
        'export const size = (x: Stats): number => x.size;',
      ],
      'src/core/http/long.ts': Array.from({ length: 401 }, (_, i) => `export const a${i} = ${i};`),
      'src/config.ts': ['export const home = process.env["HOME"];'],
      'src/commands/keys.ts': ['console.log(0);', 'export {};'],
      'workers/threads/lookup.ts': [
        ...every,
        ...WORKERS_PACKAGES.map((name) => `import '${name}';`),
        'void fetch("/");',
        'export const run = (x: { executeSQL: (y: string) => void }): void => { x.executeSQL("a"); };',
      ],
      'test/unit/a.test.ts': [...every, 'await fetch("/");'],
    };
    const texts = Object.entries(files).map(([name, lines]) => [name, `${lines.join('\n')}\n`]);
    expect(faultsIn(Object.fromEntries(texts) as Record<string, string>)).to.deep.equal([
      'src/core/http/forms.ts: complexity',
      'src/core/http/forms.ts: max-depth',
      'src/core/http/forms.ts: no-floating-promises',
      'src/core/http/forms.ts: restrict-template-expressions',
      'src/core/http/long.ts: max-lines',
      ...['no-console', 'no-restricted-globals', 'no-restricted-imports'].map(
        (rule) => `src/core/http/places.ts: ${rule}`,
      ),
      ...Array<string>(2).fill('src/core/http/places.ts: no-restricted-properties'),
      'src/core/http/type.ts: consistent-type-imports',
      ...['no-console', 'no-restricted-globals'].map((rule) => `workers/threads/lookup.ts: ${rule}`),
      ...WORKERS_PACKAGES.map(() => 'workers/threads/lookup.ts: no-restricted-imports'),
      ...Array<string>(2).fill('workers/threads/lookup.ts: no-restricted-properties'),
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
