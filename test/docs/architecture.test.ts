import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { allFeatures, loadFeatures } from '../../src/features.ts';
import { routesOf } from '../../src/core/http/routes.ts';
import { projectDir } from '../../src/project/project.ts';
import { SettingsReader } from '../../src/core/settings/settings-reader.ts';

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

  it('name only programs that are there: threats.md', () => {
    const names = [...read('threats.md').matchAll(/make stress NAME=([\w-]+)/g)].map(([, name]) => name!);
    expect(names).to.include('refused');
    const missing = names.filter((name) => !existsSync(join(projectDir, 'test', 'stress', `${name}.ts`)));
    expect(missing).to.deep.equal([]);
  });

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

describe('The page of a feature', () => {
  for (const feature of allFeatures) {
    const folder = join(projectDir, 'src', 'features', feature.name);

    it(`names its routes, commands, settings, metrics and events, and only files that are there: ${feature.name}`, async () => {
      const page = readFileSync(join(folder, 'README.md'), 'utf8');
      const reader = new SettingsReader({});
      feature.settings?.(reader);
      const sources = globSync('**/*.ts', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'));
      const names = [
        ...routesOf(await loadFeatures([feature.name])).map(({ path }) => path),
        ...Object.keys(feature.commands ?? {}).map((name) => `land-lookup ${name}`),
        ...reader.settings.map(({ name }) => name),
        ...sources.flatMap((text) => text.match(/(?<=')land_lookup_\w+(?=')/g) ?? []),
        ...sources.flatMap((text) => text.match(/(?<=events\.(?:on|tell)\()\w+/g) ?? []),
      ];
      expect(names.filter((name) => !new RegExp(`${name}(?![\\w/]|-\\w)`).test(page))).to.deep.equal([]);
      expect(pathsIn(page).filter((path) => !existsSync(join(projectDir, path)))).to.deep.equal([]);
    });
  }
});
