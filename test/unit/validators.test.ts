import { Ajv2019 } from 'ajv/dist/2019.js';
import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import { dataSetSchema } from '../../src/catalogue/definition.ts';
import { validatorOf, validatorOptions, writtenFile } from '../../src/project/validators.ts';

const layers = join(projectDir, 'layers');

/** Values that fit in few places. */
const strangers = [null, '', []] as const;

/** Copies of a value in which one part is replaced, is missing, or has a member too many. */
function* mistakes(value: unknown): Generator {
  yield* strangers;
  if (Array.isArray(value)) {
    for (const [i, part] of value.entries()) for (const wrong of mistakes(part)) yield value.with(i, wrong);
  } else if (typeof value === 'object' && value !== null) {
    yield { ...value, unknown: 1 };
    for (const [name, part] of Object.entries(value)) {
      yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
      for (const wrong of mistakes(part)) yield { ...value, [name]: wrong };
    }
  }
}

describe('validators', () => {
  it('have been written by the build for each schema that a start needs', function () {
    // The sources have no build.
    if (import.meta.filename.endsWith('.ts')) this.skip();
    // In a process of its own: other tests of this one ask for schemas that no start needs.
    const start = `
      import ${JSON.stringify(import.meta.resolve('../../src/core/http/app.js'))};
      import { definitionValidator } from ${JSON.stringify(import.meta.resolve('../../src/catalogue/read/read-definitions.js'))};
      import { schemas } from ${JSON.stringify(import.meta.resolve('../../src/project/validators.js'))};
      import { loadFeatures } from ${JSON.stringify(import.meta.resolve('../../src/features.js'))};
      await loadFeatures();
      definitionValidator();
      console.log(JSON.stringify([...schemas.keys()]));`;
    const asked = execFileSync(process.execPath, ['--input-type=module', '-e', start], { encoding: 'utf8' });
    const hashes = JSON.parse(asked) as readonly string[];
    const written = createRequire(import.meta.url)(writtenFile) as object;
    expect(hashes.length).to.be.greaterThan(10);
    expect(hashes.filter((hash) => !(hash in written))).to.deep.equal([]);
  });

  it('report the same first error as ajv does, for mistakes in each definition', () => {
    const validate = validatorOf(dataSetSchema());
    const compiled = new Ajv2019(validatorOptions).compile(dataSetSchema());
    let refused = 0;
    for (const file of readdirSync(layers).filter((name) => name.endsWith('.json'))) {
      for (const wrong of mistakes(JSON.parse(readFileSync(join(layers, file), 'utf8')))) {
        const fits = validate(wrong);
        expect(compiled(wrong)).to.equal(fits);
        expect(JSON.stringify(validate.errors)).to.equal(JSON.stringify(compiled.errors));
        if (!fits) refused++;
      }
    }
    expect(refused).to.be.greaterThan(5000);
  });
});
