import { type ServedFeature, partOf } from '../../feature.ts';
import { changeAccount, showAccount, openPortal, accountPart } from './account.ts';
import { makeKey, revokeKey, rotateKey } from './keys.ts';
import { showUsage } from './usage.ts';

/** What the holder of a key sees and changes. It is not billed. */
export const account: ServedFeature = {
  guides: ['account'],
  tags: [{ name: 'account', description: 'What a key may do and has used' }],
  routes: [showAccount, changeAccount, showUsage, makeKey, rotateKey, revokeKey, openPortal],
  part: partOf(accountPart, (services, _opened, features) => ({
    membersFor: async (key) => {
      const members = await Promise.all(features.map(async (feature) => feature.account?.(services, key)));
      return Object.assign({}, ...members) as object;
    },
  })),
};
