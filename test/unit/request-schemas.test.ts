import { Ajv, type AnySchema } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { expect } from 'chai';
import { validatorOf } from '../../src/project/validators.ts';
import { dataSetSchema } from '../../src/catalogue/definition.ts';
import { catalogueKinds } from '../../src/catalogue/kinds/kinds.ts';
import * as account from '../../src/features/account/wire.ts';
import * as area from '../../src/messages/wire/area-lookup.ts';
import * as batch from '../../src/features/batches/wire/batch.ts';
import * as lookup from '../../src/messages/wire/lookup.ts';
import * as point from '../../src/messages/wire/point-lookup.ts';
import { queryOf } from '../../src/core/openapi/lookup-operations.ts';
import { maps } from '../../src/features/maps/feature.ts';
import * as suggest from '../../src/features/suggest/feature.ts';
import * as webhooks from '../../src/features/webhooks/wire.ts';

/** The service compiles these at its start without a look at the meta-schema. */
const asked: Readonly<Record<string, object>> = {
  accountChange: account.accountChangeSchema,
  furtherKey: account.furtherKeySchema,
  rotation: account.rotationSchema,
  usageQuery: account.usageQuerySchema,
  areaRequest: area.areaRequestSchema,
  batchQuery: batch.batchQuerySchema,
  batchListQuery: batch.batchListQuerySchema,
  resultsQuery: batch.resultsQuerySchema,
  lookupRequest: lookup.lookupRequestSchema,
  lookupQuery: queryOf({ hasDetail: true, mapsNeedDetail: true }, maps.maps!, []),
  areaQuery: queryOf({ hasDetail: true, mapsNeedDetail: false }, maps.maps!, []),
  idempotencyKey: lookup.idempotencyKeySchema,
  pointRequest: point.pointRequestSchema,
  suggestQuery: suggest.suggestQuerySchema,
  deliveriesQuery: webhooks.deliveriesQuerySchema,
  deliveryId: webhooks.deliveryIdSchema,
};

const later = new Ajv2019();

describe('schemas that are compiled at the start', () => {
  for (const [name, schema] of Object.entries(asked)) {
    it(`${name} is a JSON Schema of 2019-09`, () => {
      expect(faultOf(later, schema)).to.equal(null);
    });
  }

  it('the one of layer definitions is a JSON Schema of draft 7', () => {
    expect(faultOf(new Ajv(), dataSetSchema(catalogueKinds))).to.equal(null);
  });

  it('refuse a keyword that is misspelt, also without the meta-schema', () => {
    expect(() => validatorOf({ type: 'string', maxLenght: 3 })).to.throw('maxLenght');
    expect(faultOf(later, { type: 'string', maxLength: -3 })).to.be.a('string');
  });
});

function faultOf(ajv: Pick<Ajv, 'validateSchema' | 'errorsText' | 'errors'>, schema: AnySchema): string | null {
  return ajv.validateSchema(schema) === true ? null : ajv.errorsText(ajv.errors);
}
