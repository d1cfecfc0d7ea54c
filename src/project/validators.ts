/**
 * Checks of what clients send, and of the definitions in `layers/`. Loading ajv and compiling their schemas would take a tenth of the processor time of
 * a start, so `npm run build` compiles them (src/build/write-validators.ts). Where there is no build, or it did not meet a schema, it is compiled here.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { builtDir } from './project.ts';
import type { ErrorObject, Options } from 'ajv';
import type * as ajv2019 from 'ajv/dist/2019.js';

/** Tells whether a value fits, and if not, leaves the first error behind. */
export interface Validator<Value> {
  (value: unknown): value is Value;
  readonly errors?: readonly ErrorObject[] | null;
}

/**
 * No coercion, and only the first error: collecting all of them would let a client choose the cost. The schemas are not held against the meta-schemas,
 * because compiling those takes most of the time: a test does it (test/unit/request-schemas.test.ts). Optimising takes longer than it saves a start.
 */
export const validatorOptions = {
  strict: true,
  allowUnionTypes: true,
  discriminator: true,
  allErrors: false,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
} as const satisfies Options;

/** The validators that the build wrote, by the hashes of their schemas: a schema that has changed since is not taken for the one of then. */
export const writtenFile = join(builtDir, 'src', 'written-validators.cjs');

const require = createRequire(import.meta.url);

const validators = new Map<string, Validator<unknown>>(
  existsSync(writtenFile) ? Object.entries(require(writtenFile) as Record<string, Validator<unknown>>) : [],
);

/** The schemas that this process has asked for, by their hashes. */
export const schemas = new Map<string, object>();

/** Gives the validator of a schema. @throws Error when the schema has a keyword that ajv does not know. */
export function validatorOf<Value>(schema: object): Validator<Value> {
  const hash = createHash('sha256').update(JSON.stringify(schema)).digest('hex').slice(0, 32);
  schemas.set(hash, schema);
  const validator = validators.get(hash) ?? compile(schema);
  validators.set(hash, validator);
  return validator as Validator<Value>;
}

let ajv: ajv2019.Ajv2019 | undefined;

function compile(schema: object): Validator<unknown> {
  if (!ajv) {
    const { Ajv2019 } = require('ajv/dist/2019.js') as typeof ajv2019;
    ajv = new Ajv2019(validatorOptions);
  }
  return ajv.compile(schema);
}
