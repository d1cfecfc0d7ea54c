import { changeAccount, showAccount } from './account.ts';
import { makeKey, revokeKey, rotateKey } from './keys.ts';
import { openPortal } from './portal.ts';
import { showUsage } from './usage.ts';

/** `/api/account…`: what the holder of a key sees and changes. It is not billed. */
export const accountRoutes = [showAccount, changeAccount, showUsage, makeKey, rotateKey, revokeKey, openPortal];
