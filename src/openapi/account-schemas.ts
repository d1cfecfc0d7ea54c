import type { Schema } from '../shared/schema.ts';
import {
  accountChangeSchema,
  accountSchema,
  furtherKeySchema,
  newKeySchema,
  portalSchema,
  rotatedKeySchema,
  rotationSchema,
  usageSchema,
} from '../shared/wire/account.ts';

/** Components of the document. */
export const accountSchemas: Schema = {
  Account: accountSchema,
  AccountChange: accountChangeSchema,
  AccountUsage: usageSchema,
  FurtherKey: furtherKeySchema,
  NewKey: newKeySchema,
  Rotation: rotationSchema,
  RotatedKey: rotatedKeySchema,
  Portal: portalSchema,
};
