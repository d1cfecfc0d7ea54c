import { expect } from 'chai';
import { formerMunicipalities, divisionsOfMunicipality } from '../../src/addresses/municipal-structure.ts';
import { municipalityKey } from '../../src/addresses/municipality-name.ts';
import { tokenise } from '../../src/addresses/tokens.ts';
import { type PlaceNames, addressNames } from '../../src/features/geocoders/place-names.ts';

describe('names of a remote place', () => {
  const place = (more: Partial<PlaceNames>): string[] => [
    ...addressNames({ municipalities: [], parts: [], neighbourhoods: [], counties: [], ...more }).names.values(),
  ];

  it('take a county that is one municipality, in any of its forms, and no other', () => {
    for (const county of ['Toronto', 'Toronto Division', 'City of Toronto']) {
      expect(place({ counties: [county] }), county).to.deep.equal(['Toronto']);
    }
    expect(place({ counties: ['Norfolk County'] })).to.deep.equal(['Norfolk County']);
    expect(place({ counties: ['Ottawa'], parts: ['Nepean'] })).to.deep.equal(['Ottawa', 'Nepean']);
    for (const county of ['York', 'Peterborough', 'Regional Municipality of Waterloo', 'Golden Horseshoe', 'Sudbury']) {
      expect(place({ counties: [county] }), county).to.deep.equal([]);
      expect(place({ municipalities: [`${county} County`] }).includes(county), county).to.equal(false);
    }
  });

  it('take neither a county for its city, nor names that contradict each other', () => {
    expect(place({ municipalities: ['County of Peterborough'] })).to.deep.equal([]);
    expect(place({ municipalities: ['County of Brant'] })).to.deep.equal(['County of Brant']);
    expect(place({ municipalities: ['Ajax'], counties: ['Toronto'] })).to.deep.equal([]);
    expect(place({ municipalities: ['Maple', 'Markham'], counties: ['York'] })).to.deep.equal(['Maple', 'Markham']);
  });

  it('lead from a former municipality to its city only in the county of that city', () => {
    expect(place({ municipalities: ['Woodbridge'], counties: ['York'] })).to.deep.equal(['Woodbridge', 'Vaughan']);
    expect(place({ municipalities: ['Carlisle'], counties: ['Hamilton'] })).to.include('Hamilton');
    expect(place({ municipalities: ['Carlisle'], counties: ['Middlesex County'] })).to.deep.equal(['Carlisle']);
    expect(place({ municipalities: ['Carlisle'] })).to.deep.equal(['Carlisle']);
    expect(place({ municipalities: ['York'], counties: ['Haldimand-Norfolk'] })).to.deep.equal(['York']);
    expect(place({ municipalities: ['Old Toronto'] })).to.deep.equal(['Old Toronto', 'Toronto']);
    // There is one in Vaughan and one in Markham.
    expect(place({ municipalities: ['Thornhill'], counties: ['York Region'] })).to.deep.equal(['Thornhill']);
  });

  it('take everyday names of a city, in both languages', () => {
    expect(place({ municipalities: ['Greater Sudbury / Grand Sudbury'] })).to.deep.equal([
      ...['Greater Sudbury', 'Grand Sudbury', 'Sudbury'],
    ]);
    expect(place({ municipalities: ['Greater Madawaska'] })).to.deep.equal(['Greater Madawaska']);
  });

  it('take a suburb that no municipality has the name of', () => {
    expect(place({ municipalities: ['Whitby'], parts: ['Brooklin'] })).to.deep.equal(['Whitby', 'Brooklin']);
    expect(place({ municipalities: ['Whitby'], parts: ['Hamilton'] })).to.deep.equal(['Whitby']);
    expect(place({ municipalities: ['Whitby'], parts: ['Scarborough'] })).to.deep.equal(['Whitby']);
    expect(place({ municipalities: ['Whitby'], neighbourhoods: ['Brooklin'] })).to.deep.equal(['Whitby']);
  });

  it('know every city with former parts', () => {
    for (const city of Object.keys(formerMunicipalities)) {
      expect(divisionsOfMunicipality(municipalityKey(tokenise(city))), city).not.to.equal(null);
    }
  });
});
