/** `npm run build` runs this: it compiles the schemas that a start needs, once for all starts (src/project/validators.ts). */
import { Ajv2019 } from 'ajv/dist/2019.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
// The routes ask for the validators of requests when they are loaded.
import '../core/http/app.ts';
import { detailRules } from '../core/http/lookup-request.ts';
import { rulesWithMembers } from '../core/http/answer-members.ts';
import { routesOf } from '../core/http/routes.ts';
import { mapsOf } from '../core/openapi/document.ts';
import { definitionValidator } from '../catalogue/read/read-definitions.ts';
import { loadFeatures } from '../features.ts';
import { replaceFile } from '../core/files/replace.ts';
import { ruleFileSchema } from '../features/rules/messages/wire.ts';
import { schemas, validatorOf, validatorOptions, writtenFile } from '../project/validators.ts';

async function writeValidators(): Promise<void> {
  const features = await loadFeatures();
  const maps = mapsOf(features);
  const members = features.flatMap((feature) => feature.members ?? []);
  // Those of lookups depend on the features that are there.
  for (const asked of [maps, null])
    for (const added of [members, []])
      for (const mapsNeedDetail of [true, false]) detailRules({ hasDetail: true, mapsNeedDetail }, asked, added);
  for (const { query } of routesOf(features))
    if (typeof query === 'object' && query.takesMembers === true) rulesWithMembers(query, members);
  definitionValidator();
  validatorOf(ruleFileSchema);
  const ajv = new Ajv2019({ ...validatorOptions, code: { source: true } });
  for (const [hash, schema] of schemas) ajv.addSchema(schema, hash);
  const names = Object.fromEntries([...schemas.keys()].map((hash) => [hash, hash]));
  const code = standaloneCode.default(ajv, names);
  await replaceFile(writtenFile, (part) => part.writeFile(code));
}

await writeValidators();
