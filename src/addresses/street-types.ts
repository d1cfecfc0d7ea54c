import { direction } from './directions.ts';
import { isOneEdit } from './one-edit.ts';

/**
 * Street types by the token that the National Address Register uses (mostly Canada Post's symbol), each with the
 * spellings that people write. Sources: reference list of Canada Post symbols and the tokens seen in the register's
 * releases; a few are those of municipalities' own lists (Toronto's and Ottawa's "Gt", "Grv", "Crct"). A name after `=` is the English type that equals a French one: signs of the same street show both.
 */
const table = `
ABBEY ACRES ALLEY BAY BYWAY CAMPUS CAPE CHASE COVE DALE DELL DOWNS END FARM FIELD FOREST FRONT GLADE HEATH HILL
INLET ISLAND KEY LINE LINK LOOP MALL MAZE MEWS MOOR PARADE PINES PORT QUAY RAMP RISE ROW RUN TOWERS VALE VIA VILLAS
VISTA WHARF WOOD WYND CREST TURN FSR REACH STROLL GARDEN ACCESS BLUFF KEEP HAVEN DRUNG CROFT STRIP PEAK BROOK
EXIT CORNER
GATE: GT
GROVE: GRV
GREEN: GRN
LAWN: LWN
RIDGE: RDG
VIEW: VW
WOODS: WDS
PATH: PTH
CLOSE: CLS
BEND: BND
COMMON: CMN
KNOLL: KNL
MEADOW: MDW
MANOR: MNR
HOLLOW: HLLW
PLAZA: PLZ
WALK: WLK
WAY: WY
TRACE: TRCE
BEACH: BCH
GLEN: GLN
AVE: AV AVEN AVENUE AVN
BLVD: BLV BVD BOULEVARD BD
BYPASS
CTR: CENTER CENTRE
CIR: CIRC CRCL CIRCLE
CIRCT: CRCT CIRCUIT
CONC: CON CONCESSION
CRNRS: CORNERS
CRT: CT COURT
CRES: CR CRESC CRESCENT
CRSSNG: CROSSING
CROSS = CRSSNG
CDS
DIVERS: DIVERSION
DR: DRV DRIVE
ESPL: ESPLANADE
ESTATE: ESTATES
EXPY: EXPWY EXPRESSWAY
EXTEN: EXTENSION
FWY: FREEWAY
GDNS: GDN GARDENS
GRNDS: GROUNDS
HARBR: HARBOR HARBOUR
HTS: HGTS HEIGHTS
HGHLDS: HIGHLANDS
HWY: HIWAY HGWY HIGHWAY
LANDNG: LNDG LNDNG LANDING
LANE: LN
LMTS: LIMITS
LKOUT: LOOKOUT
MT: MOUNT
MTN: MOUNTAIN
ORCH: ORCHARD
PK: PARK
PKY: PKWY PWY PARKWAY
PSSGE: PASSAGE
PASS = PSSGE
PTWAY: PATHWAY
PL: PLC PLACE
PLAT: PLATEAU
PT: POINT
PVT: PRIV PRIVATE
PRMNDE: PROMENADE
RG: RANGE
RD: ROAD
RTE = HWY: ROUTE RT
SQ: SQR SQUARE
ST: STR STRT STREET
SUBDIV: SUBDIVISION
TERR: TER TERRC TERRACE
THICK: THICKET
TLINE: TOWNLINE
TRAIL: TRL TR
TRNABT: TURNABOUT
VILLGE: VILLAGE
SIDERD: SIDEROAD SDRD
FRRTE: FRONTAGE
CRSSRD: CROSSROAD CROSSROADS
DRVWAY: DRIVEWAY
LANEWY: LANEWAY
GRNWAY: GREENWAY
CNNCTR: CONNECTOR
WLKWAY: WALKWAY
RDWAY: ROADWAY
GTEWAY: GATEWAY
TRNRND: TURNAROUND
TRNPKE: TURNPIKE
RTOFWY
RUE = ST
CH = RD: CHEM CHEMIN
BOUL = BLVD
PROM = DR PRMNDE
CROIS = CRES: CROISS CROISSANT
COUR = CRT
COURS = CRT
TSSE = TERR: TERRASSE
RLE = LANE: RUELLE
ALLEE = LANE
AUT = HWY: AUTOROUTE
VOIE = WAY
SENT = TRAIL: SENTIER
CERCLE = CIR
CAR = SQ: CARRE
CARREF = CRNRS: CARREFOUR
COTE = HILL
IMP: IMPASSE
MONTEE
PARC = PK
POINTE = PT
QUAI = QUAY
RANG = CONC
RDPT
ILE = ISLAND
DESSTE = FRRTE: DESSERTE
BAIE = BAY
PASSGE = PSSGE
JARDINS = GDNS
`;

/** Spelling -> register token. */
const bySpelling = new Map<string, string>();
/** Register token -> the types that it equals; a type that is not here equals only itself. */
const standsFor = new Map<string, readonly string[]>();

for (const line of table.trim().split('\n')) {
  const [head = '', spellings = ''] = line.split(':');
  const [tokens = '', english = ''] = head.split('=');
  for (const token of words(tokens)) {
    for (const spelling of [token, ...words(spellings)]) bySpelling.set(spelling, token);
    if (english) standsFor.set(token, [token, ...words(english)]);
  }
}

/** Register token -> its full word, for comparing names letter by letter. */
const fullWord = new Map<string, string>();
for (const [spelling, token] of bySpelling) {
  if (spelling.length >= (fullWord.get(token)?.length ?? 0)) fullWord.set(token, spelling);
}
// Inside a name ST is Saint more often than Street, and nothing distinguishes the two.
fullWord.set('ST', 'ST');

/** Returns a word of a street name, with an abbreviated type spelt out: "PKWY" and "PARKWAY" are "PARKWAY". */
export function spellOut(word: string): string {
  return fullWord.get(bySpelling.get(word) ?? '') ?? word;
}

function words(text: string): string[] {
  return text.split(' ').filter(Boolean);
}

/** The register token of a street type as people write it; null for any other word. `word` is a token of `tokenise`. */
export function streetType(word: string): string | null {
  return bySpelling.get(word) ?? null;
}

/** Returns the register tokens of all types with a spelling that begins so. */
export function streetTypesBeginning(letters: string): string[] {
  const tokens = new Set<string>();
  for (const [spelling, token] of bySpelling) if (spelling.startsWith(letters)) tokens.add(token);
  return [...tokens];
}

/** Shortest beginning of a type that is one: "Stre". */
const SHORTEST_BEGINNING = 3;

/** Returns the register tokens that a word may stand for which is no type: those with a spelling that it begins, or is one letter away from. */
export function streetTypesLike(word: string): string[] {
  if (word.length < 2 || bySpelling.has(word) || !/^[A-Z]+$/.test(word) || direction(word) !== null) return [];
  const tokens = new Set<string>();
  for (const [spelling, token] of bySpelling) {
    const isBeginning = word.length >= SHORTEST_BEGINNING && spelling.startsWith(word);
    if (isBeginning || isOneEdit(word, spelling)) tokens.add(token);
  }
  return [...tokens];
}

/** Says whether two register tokens name the same kind of street, in either language ("RUE" and "ST"). */
export function sameStreetType(a: string, b: string): boolean {
  if (a === b) return true;
  const ofB = standsFor.get(b) ?? [b];
  return (standsFor.get(a) ?? [a]).some((type) => ofB.includes(type));
}

/** French types that stand before the name: "rue Rideau", "ch. Montréal". */
const french = new Set(
  words(
    'RUE CH CHEM CHEMIN BOUL PROM PROMENADE CROIS CROISS CROISSANT COUR TSSE TERRASSE RLE RUELLE ALLEE VOIE SENT SENTIER ' +
      'MONTEE IMPASSE RANG AV AVE AVENUE BOULEVARD BLVD AUTOROUTE CERCLE CARRE',
  ),
);

/** Types that stand before the name when they are French, and otherwise belong to the name or are English. */
const sometimesLeading = new Set(words('PLACE PL ROUTE RTE TERR COTE POINTE PARC QUAI PRIV PVT'));

export interface LeadingType {
  readonly token: string;
  /** True when it is the type even if the street ends in another type: "chemin Lloyd Manor". */
  readonly firm: boolean;
}

/** Returns the type of a street's first word; null when the word belongs to the name. */
export function leadingType(word: string): LeadingType | null {
  const firm = french.has(word);
  const token = firm || sometimesLeading.has(word) ? streetType(word) : null;
  if (token === null) return null;
  // Before the name it is the French word for Drive, after the name it is English.
  return { token: word === 'PROMENADE' ? 'PROM' : token, firm };
}

/** Says whether a register type is French and stands before its name. */
export function leadsInFrench(token: string): boolean {
  return french.has(token) && token !== 'AVE' && token !== 'BLVD';
}

/** French types that may be followed by a direction inside the register's name: "11 Nord Rte". */
export function isFrenchType(token: string): boolean {
  return french.has(token) || token === 'RTE';
}

/** Types of numbered roads, which people write in both orders: "5th Line" and "Line 5", "Highway 7". */
const numbered = new Set(words('HWY RTE LINE CONC SIDERD TLINE RD AUT RANG'));

export function isNumberedRoadType(token: string): boolean {
  return numbered.has(token);
}

/** "Ave", "Blvd": the symbol in display case. French symbols that are abbreviations keep their register letters. */
export function displayStreetType(token: string): string {
  if (token === 'HWY') return 'Highway';
  return token.charAt(0) + token.slice(1).toLowerCase();
}
