import { expect } from 'chai';
import type * as Question from '../../../web/shared/question.ts';
import { webModule } from './web-module.ts';

const { isLink, linkOf, meantBy, onOneLine, questionIn, questionOf, textOf } = (await webModule(
  'shared/question.ts',
)) as typeof Question;

describe('What somebody asks the page', () => {
  it('is a point when it is two numbers with decimals, otherwise an address', () => {
    const points: Record<string, readonly [number, number, number]> = {
      '44.29994, -79.31741': [44.29994, -79.31741, 0],
      ' 44.3 -79.3 ': [44.3, -79.3, 0],
      '44.3;-79.3 ± 12 m': [44.3, -79.3, 12],
      '44.29994° N, 79.31741° W': [44.29994, -79.31741, 0],
      '44,29994° N, 79,31741° O': [44.29994, -79.31741, 0],
      '44.3°, -79.3°±9999m': [44.3, -79.3, 1000],
    };
    for (const [text, [lat, lon, uncertaintyM]] of Object.entries(points)) {
      expect(questionOf(text), text).to.deep.equal({ kind: 'point', lat, lon, uncertaintyM });
    }
    for (const text of ['12 34', '44 -79', '12 Main St W, Sampleton, ON', '44.3', '44,3, -79,3', '1.5 Main St, 2.5']) {
      expect(questionOf(text), text).to.deep.equal({ kind: 'address', address: text });
    }
  });

  it('is on one line when it was pasted in several, with what parts them', () => {
    for (const text of [
      '12 Main St W\nSampleton, ON',
      ' 12 Main St W,\r\n\r\n Sampleton, ON\r\n',
      '12 Main St W\rSampleton, ON',
      '12 Main St W\u2028Sampleton, ON',
      '12 Main St W, Sampleton, ON',
    ])
      expect(onOneLine(text), JSON.stringify(text)).to.equal('12 Main St W, Sampleton, ON');
  });

  it('is the place that was meant, once the service says what is wrong with the coordinates', () => {
    const at = (lat: number, lon: number) => ({ kind: 'point', lat, lon, uncertaintyM: 5 }) as const;
    expect(meantBy(at(-79.461, 44.051), 'EXCHANGED')).to.deep.equal(at(44.051, -79.461));
    expect(meantBy(at(44.051, 79.461), 'POSITIVE_LONGITUDE')).to.deep.equal(at(44.051, -79.461));
    expect(meantBy(at(79.461, 44.051), 'EXCHANGED_POSITIVE')).to.deep.equal(at(44.051, -79.461));
    for (const hint of [undefined, 'LATER']) expect(meantBy(at(1, 2), hint)).to.equal(null);
    expect(meantBy({ kind: 'address', address: 'x' }, 'EXCHANGED')).to.equal(null);
  });

  it('comes back from its text and from its link', () => {
    const questions = [
      { kind: 'address', address: '14 rue Principale, Petit-Échantillon, ON & "x" #1' },
      { kind: 'point', lat: 44.29994, lon: -79.31741, uncertaintyM: 12 },
      { kind: 'point', lat: 44.3, lon: -79, uncertaintyM: 0 },
    ] as const;
    for (const question of questions) {
      expect(questionOf(textOf(question))).to.deep.equal(question);
      expect(questionIn(linkOf(question)!)).to.deep.equal(question);
    }
  });

  it('is a link when it has the form of one, also when it was cut', () => {
    for (const hash of ['#area=zzz', '#lat=44', '#address=', '#point=44', '#answer=x'])
      expect(isLink(hash), hash).to.equal(true);
    for (const hash of ['', '#', '#address', '#problem']) expect(isLink(hash), hash).to.equal(false);
  });

  it('is nothing in a link that names nothing', () => {
    for (const hash of ['', 'address=', 'point=', 'point=x,y', 'point=44', 'point=44.1,-79.1,x', 'other=1']) {
      expect(questionIn(hash), hash).to.equal(null);
    }
  });
});
