import { DEEPEST_LEVEL, isAnnouncement, type Path } from './announcements.ts';
import { quoted } from './crs-text.ts';

/** Members of a geometry that hold numbers alone. */
const coordinateMembers: readonly (string | null | undefined)[] = ['coordinates', 'rings', 'paths', 'points'];

/** Where in a JSON text a scan is: the members around it, its features, and whether it is among coordinates. */
export class JsonPath {
  /** By level, from 1; null stands for a place in a list. */
  readonly #names: (string | null)[] = [null];
  /** Level of the list of coordinates that it is in, and of one that may begin next; 0: none. */
  #coordinates = 0;
  #expected = 0;
  /** Where the list began that holds no other, and how many commas it has; null: there is none. */
  #innermost: { readonly from: number; commas: number } | null = null;
  featureLists = 0;
  features = 0;

  /** The path of the member with this name, when it announces something. */
  enter(level: number, name: string): Path | null {
    this.#names.length = level;
    this.#names[level] = name;
    if (level === 1 && name === 'features') this.featureLists++;
    this.#expected = this.#isCoordinates(level) ? level : 0;
    const path = level <= DEEPEST_LEVEL ? this.#names.slice(1) : [];
    return path.length > 0 && isAnnouncement(path) ? path : null;
  }

  /** Also of a geometry that is the root. */
  #isCoordinates(level: number): boolean {
    if (!coordinateMembers.includes(this.#names[level])) return false;
    return level === 1 || this.#names[level - 1] === 'geometry' || this.#names[level - 2] === 'geometries';
  }

  /** A list or an object begins, on this level. */
  open(level: number, at: number, isObject: boolean): void {
    this.#names.length = level;
    this.#names[level] = null;
    if (isObject && level === DEEPEST_LEVEL && this.#names[1] === 'features') this.features++;
    if (this.#coordinates === 0 && level === this.#expected + 1 && !isObject) this.#coordinates = this.#expected;
    if (this.#coordinates > 0) this.#innermost = { from: at, commas: 0 };
  }

  comma(): void {
    if (this.#innermost) this.#innermost.commas++;
  }

  /** A list or an object has ended, and this level goes on. @throws Error for a position of one number. */
  close(level: number, at: number): void {
    if (this.#coordinates === 0) return;
    if (this.#innermost && this.#innermost.commas === 0 && at > this.#innermost.from + 1)
      throw new Error(`has a position with one coordinate at byte ${at}`);
    this.#innermost = null;
    if (level <= this.#coordinates) this.#coordinates = 0;
  }

  /** @throws Error when something that is no number stands among coordinates: GDAL leaves out the ring or the geometry, without a word. */
  notNumber(text: string, at: number): void {
    if (this.#coordinates > 0)
      throw new Error(
        `has a coordinate that is no number at byte ${at}: ${quoted(text)}; remove or correct the feature`,
      );
  }
}
