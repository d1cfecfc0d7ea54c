/** A client of the OpenAPI document. `test/release/clients.test.ts` makes those of all generators. */
import { testClientsOf } from '../support/oracles/generated-clients.ts';

testClientsOf(['openapi-typescript']);
