import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectDir } from '../../../src/project/project.ts';
import type * as Palette from '../../../web/map/palette.ts';
import { webModule } from './web-module.ts';

const { colourOf, DARK, LIGHT, widthOf } = (await webModule('map/palette.ts')) as typeof Palette;

/** Red, green and blue, linear, from 0 to 1. */
function linear(colour: string): [number, number, number] {
  const part = (at: number): number => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

const lightness = ([r, g, b]: readonly [number, number, number]): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;

/** CIE L*a*b*, in which distances are those that people see. */
function lab(colour: string): [number, number, number] {
  const [r, g, b] = linear(colour);
  const f = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const [x, y, z] = [
    f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505),
    f(lightness([r, g, b])),
    f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089),
  ];
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function contrast(one: string, other: string): number {
  const [dark, light] = [one, other].map((colour) => lightness(linear(colour)) + 0.05).sort((a, b) => a - b);
  return light! / dark!;
}

for (const [name, ground] of [
  ['light', LIGHT],
  ['dark', DARK],
] as const)
  describe(`The colours of the map, on ${name} ground`, () => {
    it('can be told from each other', () => {
      const all = Object.values(ground.colours);
      const near = all.flatMap((one, i) =>
        all
          .slice(i + 1)
          .filter((other) => Math.hypot(...lab(one).map((value, k) => value - lab(other)[k]!)) < 12)
          .map((other) => `${one} and ${other}`),
      );
      expect(near).to.deep.equal([]);
    });

    it('can be told from the ground, and texts can be read on it', () => {
      for (const colour of [...Object.values(ground.colours), ground.mark])
        expect(contrast(colour, ground.disc), colour).to.be.at.least(3);
      for (const text of [ground.ink, ground.soft]) expect(contrast(text, ground.disc), text).to.be.at.least(4.5);
    });

    it('have the red of the cards', () => {
      const css = readFileSync(join(projectDir, 'web/shared/style.css'), 'utf8');
      const [, ...reds] = /--red: light-dark\((#\w+), (#\w+)\);/.exec(css) ?? [];
      expect(ground.colours.hazard).to.equal(reds[name === 'light' ? 0 : 1]);
    });
  });

describe('The lines of the map', () => {
  it('are the redder and the wider the graver, and quiet for the rest', () => {
    const kinds = ['hazard', 'close', 'other'] as const;
    expect(kinds.map((kind) => colourOf('ohn_waterbody', kind, LIGHT))).to.deep.equal([
      LIGHT.colours.hazard,
      LIGHT.colours.close,
      LIGHT.colours.water,
    ]);
    expect(colourOf('no such data set', 'other', DARK)).to.equal(DARK.colours.grey);
    for (const dataSet of ['ohn_waterbody', 'orwn_track']) {
      const widths = kinds.map((kind) => widthOf(dataSet, kind));
      expect(widths).to.deep.equal(widths.toSorted((a, b) => b - a));
      expect(new Set(widths).size).to.equal(3);
    }
  });
});
