/** `npm run publish-contract` writes `docs/openapi.json`, against which a test compares every later document. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogue } from '../../src/catalogue/read-definitions.ts';
import { projectDir } from '../../src/config.ts';
import { readExamples } from '../../src/http/service-documents.ts';
import { openApiDocument } from '../../src/openapi/document.ts';

const document = openApiDocument(readCatalogue(join(projectDir, 'layers')), readExamples());
writeFileSync(join(projectDir, 'docs', 'openapi.json'), `${JSON.stringify(document, null, 1)}\n`);
