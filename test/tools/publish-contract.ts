/**
 * `npm run publish-contract` writes `docs/openapi.json`, against which a test compares every later document, and the schemas of the files in
 * `layers/` and `rules/`, which editors use.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadFeatures } from '../../src/features.ts';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../src/project/project.ts';
import { dataSetSchema } from '../../src/catalogue/definition.ts';
import { readExamples } from '../../src/core/http/service-documents.ts';
import { openApiDocument } from '../../src/core/openapi/document.ts';
import { ruleFileSchema } from '../../src/features/rules/messages/wire.ts';
import { printJson } from './print-json.ts';

const features = await loadFeatures();
const document = openApiDocument(readCatalogue(join(projectDir, 'layers')), readExamples(), features);
writeFileSync(join(projectDir, 'docs', 'openapi.json'), `${printJson(document)}\n`);
writeFileSync(
  join(projectDir, 'layers', 'schema', 'data-set.schema.json'),
  `${JSON.stringify(dataSetSchema(), null, 2)}\n`,
);
writeFileSync(join(projectDir, 'rules', 'schema', 'rule.schema.json'), `${JSON.stringify(ruleFileSchema, null, 2)}\n`);
