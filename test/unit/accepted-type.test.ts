/** Which media type a client prefers, by what clients write into `Accept`. */
import { expect } from 'chai';
import express, { type Request } from 'express';
import { acceptedType } from '../../src/core/http/accepted-type.ts';

const TYPES = ['application/x-ndjson', 'text/csv', 'application/geo+json'] as const;

const accepted = (accept?: string): string | null =>
  acceptedType(Object.assign(Object.create(express.request) as Request, { headers: { accept } }), TYPES);

describe('the media type that a client accepts', () => {
  for (const [accept, type] of Object.entries({
    'text/csv': 'text/csv',
    'text/csv; charset=utf-8': 'text/csv',
    'text/csv;charset="utf-8";header=present': 'text/csv',
    'TEXT/CSV; Charset=UTF-8; header': 'text/csv',
    'application/x-ndjson;q=0.5, text/csv; charset=utf-8; q=0.9': 'text/csv',
    'text/csv; charset=utf-8; Q=0.1, application/geo+json; profile="a,b;q=1"': 'application/geo+json',
    'text/csv; charset=utf-8; q=0, */*;q=0.1': 'application/x-ndjson',
    '*/*; charset=utf-8': 'application/x-ndjson',
  })) {
    it(`is ${type} for ${accept}`, () => {
      expect(accepted(accept)).to.equal(type);
    });
  }

  it('is the first for a client that says nothing, and null for one that takes none', () => {
    expect(accepted()).to.equal('application/x-ndjson');
    expect(accepted('image/png; a=b')).to.equal(null);
    expect(accepted('text/csv; header=present; q=0')).to.equal(null);
  });
});
