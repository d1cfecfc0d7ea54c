import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectDir } from '../../../src/project/project.ts';
import type * as Palette from '../../../web/map/palette.ts';
import { webModule } from './web-module.ts';

const { colourOf } = (await webModule('map/palette.ts')) as typeof Palette;

const dataSets = readdirSync(join(projectDir, 'layers')).flatMap((name) => /^(\w+)\.json$/.exec(name)?.[1] ?? []);
const other = colourOf('no such data set');
const own = dataSets.filter((id) => colourOf(id) !== other);

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

describe('The colours of the map', () => {
  it('are one for each data set that every answer has', () => {
    expect(own.length).to.be.within(37, dataSets.length);
  });

  it('can be told from each other, so that neighbours in the legend can', () => {
    const near = own.flatMap((id, i) =>
      own
        .slice(i + 1)
        .filter((one) => Math.hypot(...lab(colourOf(id)).map((value, k) => value - lab(colourOf(one))[k]!)) < 12)
        .map((one) => `${id} and ${one}`),
    );
    expect(near).to.deep.equal([]);
  });

  it('can be told from the ground', () => {
    const ground = lightness(linear('#fffdf8')) + 0.05;
    for (const id of own) expect(ground / (lightness(linear(colourOf(id))) + 0.05), id).to.be.at.least(3);
  });
});
