import { expect } from 'chai';
import { lineOf } from '../../src/features/download/check-report.ts';

const text = `{
  "title": "a \\"sources\\": [",
  "sources": [
    { "kind": "package", "layer": ["A", "B"] },
    {
      "kind": "arcgis",
      "names": ["A"],
      "layerIdHint": 15
    }
  ],
  "fields": {
    "KIND": { "type": "string" },
    "NAME": {
      "type": "string"
    }
  }
}
`;

describe('the line of a member of a JSON document', () => {
  const cases: readonly (readonly [path: (string | number)[], line: number])[] = [
    [['title'], 2],
    [['sources'], 3],
    [['sources', 0, 'layer'], 4],
    [['sources', 1], 5],
    [['sources', 1, 'names'], 7],
    [['sources', 1, 'layerIdHint'], 8],
    [['sources', 1, 'where'], 5],
    [['fields', 'NAME'], 13],
    [['fields', 'OTHER'], 11],
    [['title', 'x'], 2],
    [['notes'], 1],
  ];
  for (const [path, line] of cases)
    it(`is ${line} for ${path.join('.')}`, () => {
      expect(lineOf(text, path)).to.equal(line);
    });
});
