import villages from './lists/villages.json' with { type: 'json' };
import { municipalityKey } from './municipality-name.ts';
import { tokenise } from './tokens.ts';

/**
 * Villages and hamlets of Ontario beside those in `lists/former-municipalities.json`: a name of this list is never taken for a
 * misspelt one ("Brookville" is not Brockville). The names are those of Canada's geographical names (Natural Resources
 * Canada, Open Government Licence - Canada), chosen by hand where they are near the name of a town; the list is not
 * complete (docs/decisions/0165).
 */
const communities = new Set(villages.map((name) => municipalityKey(tokenise(name))));

/** Says whether a key (`municipalityKey`) is that of a village or hamlet of the list. */
export function isCommunity(key: string): boolean {
  return communities.has(key);
}
