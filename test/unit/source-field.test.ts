import { expect } from 'chai';
import { sourceField } from '../../src/catalogue/source-field.ts';

describe('the field of a source', () => {
  const watershed = { alternatives: ['NAME', 'LABEL'] };
  const cases: readonly (readonly [
    what: string,
    present: string[],
    rename: Record<string, string>,
    field: string | null,
  ])[] = [
    ['has the name of the definition', ['LABEL', 'NAME', 'WATERSHED_NAME'], {}, 'WATERSHED_NAME'],
    ['has the first alternative that is there', ['LABEL', 'NAME'], {}, 'NAME'],
    [
      'is the one that is renamed, whatever else is there',
      ['WATERSHED_NAME', 'TITLE'],
      { TITLE: 'WATERSHED_NAME' },
      'TITLE',
    ],
    ['may be renamed to an alternative', ['WATERSHED_NAME', 'TITLE'], { TITLE: 'NAME' }, 'TITLE'],
    ['is found where the renamed one is absent', ['NAME'], { TITLE: 'WATERSHED_NAME' }, 'NAME'],
    ['is absent', ['OTHER'], { TITLE: 'NAME' }, null],
  ];
  for (const [what, present, rename, field] of cases)
    it(what, () => {
      expect(sourceField('WATERSHED_NAME', watershed, rename, present)).to.equal(field);
    });
});
