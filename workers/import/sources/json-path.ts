import { type Path, DEEPEST_LEVEL, isAnnouncement } from './announcements.ts';
import { quoted } from './read-start.ts';

/** Members of a geometry that hold numbers alone. */
const coordinateMembers: readonly (string | null | undefined)[] = ['coordinates', 'rings', 'paths', 'points'];

/** Members of Esri's geometries that GDAL leaves out, with all of the feature's area or line. */
const isCurve = /^curve(Rings|Paths)$/i;

/** Where in a JSON text a scan is: the members around it, its features, and whether it is among coordinates. */
export class JsonPath {
  /** By level, from 1; null stands for a place in a list. */
  readonly #names: (string | null)[] = [null];
  /** Level of the list of coordinates that it is in, and of one that may begin next; 0: none. */
  #coordinates = 0;
  #expected = 0;
  /** Where the list began that holds no other, and how many commas it has; null: there is none. */
  #innermost: { readonly from: number; commas: number } | null = null;
  /** The value that begins next is the geometry of a feature. */
  #geometryNext = false;
  /** The feature has a position. */
  #isPlaced = false;
  featureLists = 0;
  features = 0;
  /** Features with a position. */
  placed = 0;

  /** The path of the member with this name, when it announces something. */
  enter(level: number, name: string): Path | null {
    this.#names.length = level;
    this.#names[level] = name;
    if (level === 1 && name === 'features') this.featureLists++;
    if (isCurve.test(name) && this.#names[level - 1] === 'geometry')
      throw new Error(
        `has curves ("${name}"), which are not read from a file: ask the server without returnTrueCurves, or export a GeoPackage`,
      );
    this.#expected = this.#isCoordinates(level) ? level : 0;
    this.#geometryNext =
      name === 'geometry' && (level === 1 || (level === DEEPEST_LEVEL && this.#names[1] === 'features'));
    const path = level <= DEEPEST_LEVEL ? this.#names.slice(1) : [];
    return path.length > 0 && isAnnouncement(path) ? path : null;
  }

  /** Says whether a member of this level is an attribute of a feature of Esri JSON. */
  isAttribute(level: number): boolean {
    return level === DEEPEST_LEVEL + 1 && this.#names[1] === 'features' && this.#names[DEEPEST_LEVEL] === 'attributes';
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
    this.#geometryNext = false;
    if (level === DEEPEST_LEVEL && this.#names[1] === 'features') {
      if (!isObject) throw new Error(noFeature(at));
      this.features++;
    }
    if (level === 1 || (level === DEEPEST_LEVEL && isObject)) this.#isPlaced = false;
    if (this.#coordinates === 0 && level === this.#expected + 1 && !isObject) this.#coordinates = this.#expected;
    if (this.#coordinates > 0) this.#innermost = { from: at, commas: 0 };
  }

  comma(): void {
    this.#geometryNext = false;
    if (this.#innermost) this.#innermost.commas++;
  }

  /** A list or an object has ended, and this level goes on. @throws Error for a position of one number. */
  close(level: number, at: number): void {
    if (this.#coordinates === 0) return;
    if (this.#innermost && this.#innermost.commas === 0 && at > this.#innermost.from + 1)
      throw new Error(`has a position with one coordinate at byte ${at}`);
    if (this.#innermost && this.#innermost.commas > 0 && !this.#isPlaced) {
      this.#isPlaced = true;
      this.placed++;
    }
    this.#innermost = null;
    if (level <= this.#coordinates) this.#coordinates = 0;
  }

  /**
   * A text or a word begins. @throws Error when it stands among coordinates, for a geometry or for a feature: GDAL leaves out the ring, the geometry or the
   * feature, without a word.
   */
  notNumber(text: string, { level, at }: { readonly level: number; readonly at: number }): void {
    if (level === DEEPEST_LEVEL - 1 && this.#names[1] === 'features') throw new Error(noFeature(at));
    if (this.#geometryNext && text.startsWith('"'))
      throw new Error(`has a geometry that is a text at byte ${at}: write it as an object, not as the text of one`);
    if (this.#coordinates > 0)
      throw new Error(
        `has a coordinate that is no number at byte ${at}: ${quoted(text)}; remove or correct the feature`,
      );
  }
}

function noFeature(at: number): string {
  return `has something else than a feature in its list "features" at byte ${at}: remove or correct it`;
}
