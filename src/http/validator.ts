import type { ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';

/**
 * One for all requests. No coercion, and only the first error: collecting all of them would let a client choose the cost. The schemas are not held against
 * the meta-schemas here, because compiling those takes most of the time: a test does it (test/unit/request-schemas.test.ts).
 */
const ajv = new Ajv2019({ strict: true, allowUnionTypes: true, allErrors: false, meta: false, validateSchema: false });

/** Compiles the schema of something that a client sends. */
export function validatorOf<Value>(schema: object): ValidateFunction<Value> {
  return ajv.compile<Value>(schema);
}
