/** Clients of the OpenAPI document, made by each generator that docs/api.md names. */
import { generators, testClientsOf } from '../support/oracles/generated-clients.ts';

testClientsOf(generators);
