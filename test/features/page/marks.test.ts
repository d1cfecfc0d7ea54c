import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../../src/project/project.ts';
import type * as Palette from '../../../web/map/palette.ts';
import { hasBrowser, sharedBrowser } from '../../support/drivers/browser.ts';
import { webModule } from './web-module.ts';

const { looks } = (await webModule('map/palette.ts')) as typeof Palette;

const CSS = ['shared/style.css', 'answers/answers.css', 'answers/result.css', 'batch/batch.css', 'account/account.css']
  .map((file) => readFileSync(join(projectDir, 'web', file), 'utf8'))
  .join('\n');
const KINDS = ['found hazard', 'found restriction', 'found close', 'found', 'none', 'unknown hazard'];
const LEGEND = ['swatch', 'swatch dashed', 'swatch point', 'swatch reach', 'dot', 'halo', 'hatch'];

const marksIn = (holder: (kind: string) => string): string => KINDS.map(holder).join('');
const MARKS = `<ul class="rows">${marksIn((kind) => `<li class="row ${kind}"><span class="mark"></span><h4></h4></li>`)}</ul>
<fieldset class="legend" style="--colour: light-dark(#9b2c1f, #f0998b); --width: 3.5px">
${marksIn((kind) => `<label class="switch"><span class="${kind}"><span class="mark"></span></span></label>`)}
<p class="switch">${LEGEND.map((name) => `<span class="${name} sample"></span>`).join('')}</p></fieldset>`;

/** Shapes beside each other of which only the colour says which is which, with what holds them. */
const OF_PARTS = ['found', 'none', 'unknown'].map((name) => ({ name, style: 'flex-grow: 1; --shade: 60%' }));
const OF_POINTS = [looks.found, looks.notFound, looks.invalid].map(({ colour }) => ({
  name: '',
  style: `flex-grow: 1; width: 1rem; background: ${colour}`,
}));
const COLOURED = [
  { holder: 'bar', shape: '', all: OF_PARTS },
  { holder: 'shares', shape: 'swatch-part', all: OF_PARTS },
  { holder: 'batch-bar', shape: '', all: OF_POINTS },
  { holder: 'batch', shape: 'batch-swatch', all: OF_POINTS },
  { holder: 'batch-points', shape: 'batch-point', all: OF_POINTS },
  { holder: 'chart-legend', shape: 'key', all: ['lookups', 'rows'].map((name) => ({ name, style: '' })) },
];
const SHAPES = COLOURED.map(
  ({ holder, shape, all }) =>
    `<div class="${holder}" style="width: 60px">${all.map(({ name, style }) => `<span class="${shape} ${name}" style="${style}"></span>`).join('')}</div>`,
).join('');

describe('Marks in forced colours', function () {
  this.timeout(120_000);

  /** Opens a page in forced colours with this content; returns what reads the pixels of its elements. */
  async function drawn(colorScheme: 'light' | 'dark', content: string) {
    const page = await (await sharedBrowser()).newPage({ forcedColors: 'active', colorScheme });
    await page.setContent(`<style>${CSS}</style>${content}`);
    const png = (await page.screenshot({ fullPage: true })).toString('base64');
    return {
      pixelsOf: (selector: string): Promise<number[][]> => page.evaluate(pixelsIn, { png, selector }),
      [Symbol.asyncDispose]: () => page.close(),
    };
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has pixels of its own shape for each kind of finding, also in the legend: ${colorScheme}`, async function () {
      if (!hasBrowser()) this.skip();
      await using page = await drawn(colorScheme, MARKS);
      const shapesOf = async (selector: string): Promise<string[]> =>
        (await page.pixelsOf(selector)).map((pixels) => shapeIn(pixels, colorScheme === 'dark'));
      for (const where of ['.rows', '.legend']) {
        const shapes = await shapesOf(`${where} .mark`);
        for (const [i, shape] of shapes.entries()) expect(shape, KINDS[i]).to.include('#');
        expect(new Set(shapes).size, where).to.equal(KINDS.length);
      }
      for (const [i, shape] of (await shapesOf('.sample')).entries()) expect(shape, LEGEND[i]).to.include('#');
    });

    it(`has a colour of its own for each part of a bar and each kind of point: ${colorScheme}`, async function () {
      if (!hasBrowser()) this.skip();
      await using page = await drawn(colorScheme, SHAPES);
      for (const { holder, all } of COLOURED) {
        const colours = (await page.pixelsOf(`.${holder} > span`)).map(meanOf);
        expect(colours, holder).to.have.length(all.length);
        for (const [i, one] of colours.entries())
          for (const other of colours.slice(i + 1))
            expect(differenceOf(one, other), `${holder}: ${colours.join(' / ')}`).to.be.above(60);
      }
    });
  }
});

/** The pixels of each of these elements in a picture of the page: red, green, blue and opacity of each. */
async function pixelsIn({ png, selector }: { readonly png: string; readonly selector: string }): Promise<number[][]> {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const context = new OffscreenCanvas(image.width, image.height).getContext('2d')!;
  context.drawImage(image, 0, 0);
  return [...document.querySelectorAll(selector)].map((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const [x, y] = [Math.floor(left + scrollX), Math.floor(top + scrollY)];
    return [...context.getImageData(x, y, Math.ceil(right + scrollX) - x, Math.ceil(bottom + scrollY) - y).data];
  });
}

const pixelAt = (pixels: readonly number[], i: number): readonly number[] => pixels.slice(4 * i, 4 * i + 3);

/** Which pixels stand out from the ground, which is black or white, as # and spaces. */
function shapeIn(pixels: readonly number[], isDark: boolean): string {
  const lightOf = (i: number): number => pixelAt(pixels, i).reduce((sum, one) => sum + one, 0) / 3;
  const stands = (i: number): boolean => (isDark ? lightOf(i) > 110 : lightOf(i) < 180);
  return Array.from({ length: pixels.length / 4 }, (_, i) => (stands(i) ? '#' : ' ')).join('');
}

function meanOf(pixels: readonly number[]): readonly number[] {
  const count = pixels.length / 4;
  return [0, 1, 2].map((colour) => {
    const sum = Array.from({ length: count }, (_, i) => pixels[4 * i + colour]!).reduce((all, one) => all + one, 0);
    return Math.round(sum / count);
  });
}

const differenceOf = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, colour, i) => sum + Math.abs(colour - other[i]!), 0);
