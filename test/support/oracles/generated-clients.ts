/**
 * Clients that generators make of the OpenAPI document: programs of docs/examples/clients are made as their first lines say, compiled together and
 * run against the service on its sample.
 */
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { projectDir } from '../../../src/project/project.ts';
import { temporaryFolder } from '../drivers/folder.ts';
import { shareSampleService, type KeyedService } from '../drivers/sample-service.ts';
import { given } from '../drivers/given.ts';

const run = promisify(execFile);

const examples = join(projectDir, 'docs', 'examples', 'clients');

/** The programs, each named after its generator. */
export const generators = readdirSync(examples).flatMap((file) => (file.endsWith('.ts') ? [file.slice(0, -3)] : []));

/** All that `strict` means, and what this project asks of itself beyond it where the generated code allows it. */
const compilerOptions = {
  ...{
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'nodenext',
    outDir: 'compiled',
    types: ['node'],
  },
  ...{ strict: true, noUncheckedIndexedAccess: true, noImplicitReturns: true, skipLibCheck: true },
};

/** What each program prints. */
const PRINTED = [
  /^lookup: 13 Marsh Rd, Fiddlehead Corners, ON .+ regulated$/,
  /^area: \d+(\.\d+)? [01](\.\d+)? [01](\.\d+)?$/,
  /^row: a 36 13 Marsh Rd, Fiddlehead Corners, ON/,
  'row: b ADDRESS_NOT_FOUND STREET_NOT_FOUND',
  /^problem: ADDRESS_NOT_FOUND, STREET_NOT_FOUND, .+/,
];

/** Tests those of some generators. */
export function testClientsOf(chosen: readonly string[]): void {
  describe('Clients made of the OpenAPI document', function () {
    this.timeout(300_000);
    const folder = temporaryFolder();
    let service: KeyedService;
    const ask = (file: string, args: readonly string[]) =>
      run(process.execPath, [file, ...args], {
        cwd: folder.path,
        env: { ...process.env, LAND_LOOKUP_URL: service.url, LAND_LOOKUP_KEY: service.key },
      });

    before(async () => {
      service = await shareSampleService();
      cpSync(examples, folder.path, { recursive: true });
      symlinkSync(join(projectDir, 'node_modules'), join(folder.path, 'node_modules'));
      writeFileSync(join(folder.path, 'package.json'), '{ "type": "module" }');
      writeFileSync(
        join(folder.path, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, include: chosen.map((name) => `${name}.ts`) }),
      );
    });
    after(() => {
      folder[Symbol.dispose]();
    });

    for (const generator of chosen) {
      it(`are made by ${generator}`, async () => {
        const [, name, args] = /^\/\/ npx (\S+) (.+)$/m.exec(
          readFileSync(join(examples, `${generator}.ts`), 'utf8'),
        ) as unknown as string[];
        const given = args!.replace('http://127.0.0.1:8080', service.url).split(' ');
        await ask(join('node_modules', '.bin', name!), given);
      });
    }

    given('batches').it('compile strictly, with the programs that use them', async () => {
      const { stdout } = await ask(join('node_modules', 'typescript-7', 'bin', 'tsc'), ['-p', '.']).catch(
        (cause: unknown) => cause as { stdout: string },
      );
      expect(stdout).to.equal('');
    });

    for (const generator of chosen) {
      given('batches').it(`look up, read rows and problems: ${generator}.ts`, async () => {
        const { stdout } = await ask(join('compiled', `${generator}.js`), []);
        const lines = stdout.trimEnd().split('\n');
        expect(lines).to.have.length(PRINTED.length);
        for (const [i, expected] of PRINTED.entries()) {
          if (typeof expected === 'string') expect(lines[i]).to.equal(expected);
          else expect(lines[i]).to.match(expected);
        }
      });
    }
  });
}
