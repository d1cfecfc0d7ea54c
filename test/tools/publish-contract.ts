/**
 * `npm run publish-contract` writes `docs/openapi.json`, against which a test compares every later document, and the schema of the files in
 * `layers/`, which editors use.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogue } from '../../src/catalogue/read-definitions.ts';
import { projectDir } from '../../src/project.ts';
import { dataSetSchema } from '../../src/shared/catalogue/definition.ts';
import { readExamples } from '../../src/http/service-documents.ts';
import { apiDocument } from '../../src/http/routes.ts';
import { printJson } from './print-json.ts';

const document = apiDocument(readCatalogue(join(projectDir, 'layers')), readExamples());
writeFileSync(join(projectDir, 'docs', 'openapi.json'), `${printJson(document)}\n`);
writeFileSync(
  join(projectDir, 'layers', 'schema', 'data-set.schema.json'),
  `${JSON.stringify(dataSetSchema(), null, 2)}\n`,
);
