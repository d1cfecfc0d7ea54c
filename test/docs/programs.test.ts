/** The programs that measure and break things, as the docs and `make` name them. */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';

function list(folder: string, ...names: string[]): { status: number | null; programs: string[][] } {
  const run = spawnSync(join(projectDir, 'test', 'run-program'), [folder, ...names], { encoding: 'utf8' });
  const lines = run.stdout.trim().split('\n');
  return { status: run.status, programs: lines.map((line) => /^(\S+)\s*(.*)$/.exec(line)!.slice(1)) };
}

describe('make bench and make stress', () => {
  it('list each program with what it does, also when there is no such program', () => {
    for (const folder of ['bench', 'stress']) {
      const { status, programs } = list(folder);
      expect(status).to.equal(0);
      expect(programs.length).to.be.greaterThan(10);
      for (const [name, description] of programs) expect(description, name).to.match(/^[A-Z]/);
      expect(list(folder, 'nothing')).to.deep.equal({ status: 1, programs });
    }
  });

  it('have every program that the docs name', () => {
    const files = globSync('{README.md,docs/**/*.md,test/README.md,test/**/*.ts}', { cwd: projectDir });
    const named = files.flatMap((file) => [
      ...readFileSync(join(projectDir, file), 'utf8').matchAll(/make (bench|stress) NAME=([a-z-]+)/g),
    ]);
    expect(named.length).to.be.greaterThan(30);
    for (const folder of ['bench', 'stress']) {
      const names = named.filter(([, kind]) => kind === folder).map(([, , name]) => name);
      expect(list(folder).programs.map(([name]) => name)).to.include.members(names);
    }
  });
});
