/** The texts of files of places: only who has such a file loads them. */
import { wordsIn } from './pairs.ts';

/** What a column is, in English and French. */
const roles = {
  address: ['address', 'adresse'],
  number: ['house number', 'numéro civique'],
  type: ['type of street', 'type de rue'],
  direction: ['direction of street', 'point cardinal'],
  unit: ['unit', 'unité'],
  city: ['town', 'ville'],
  province: ['province', 'province'],
  postal: ['postal code', 'code postal'],
  country: ['country', 'pays'],
  lat: ['latitude', 'latitude'],
  lon: ['longitude', 'longitude'],
  custom_id: ['your own id', 'votre identifiant'],
} as const;

/** How far a batch is. */
const states = {
  queued: ['Waiting for its turn', 'En attente de son tour'],
  validating: ['Being checked', 'En vérification'],
  running: ['Running', 'En cours'],
  finalizing: ['Almost done', 'Presque terminé'],
  completed: ['Done', 'Terminé'],
  failed: ['Failed', 'Échoué'],
  cancelled: ['Cancelled', 'Annulé'],
  expired: ['The results are deleted', 'Les résultats sont supprimés'],
} as const;

/** What became of rows. */
const outcomes = {
  found: ['Found', 'Trouvées'],
  notFound: ['Not found', 'Non trouvées'],
  outside: ['Outside Ontario', 'Hors de l’Ontario'],
  invalid: ['Not readable', 'Illisibles'],
  failed: ['Failed', 'Échouées'],
  waiting: ['Not answered', 'Sans réponse'],
} as const;

/** What became of a row. */
const rowOutcomes = {
  found: ['Found', 'Trouvée'],
  notFound: ['Not found', 'Non trouvée'],
  outside: ['Outside Ontario', 'Hors de l’Ontario'],
  invalid: ['Not readable', 'Illisible'],
  failed: ['Failed', 'Échouée'],
} as const;

/** Buttons that save. */
const formats = {
  csv: ['Save as spreadsheet', 'Enregistrer en tableau'],
  ndjson: ['Save as NDJSON', 'Enregistrer en NDJSON'],
  geojson: ['Save as GeoJSON', 'Enregistrer en GeoJSON'],
  parquet: ['Save as Parquet', 'Enregistrer en Parquet'],
} as const;

/** Headers behind the reader’s own columns. */
const table = {
  asked: ['Asked for', 'Demandé'],
  outcome: ['Outcome', 'Issue'],
  address: ['Address found', 'Adresse trouvée'],
  sure: ['How sure', 'Précision'],
  remark: ['What differs, or why there is no answer', 'Différence, ou pourquoi il n’y a pas de réponse'],
  lat: ['Latitude found', 'Latitude trouvée'],
  lon: ['Longitude found', 'Longitude trouvée'],
  sources: ['Sources and licences', 'Sources et licences'],
  noneOrUnknown: ['None, or not known', 'Aucun, ou inconnu'],
} as const;

/** Of what the page says. */
const words = {
  reading: ['Reading {name}…', 'Lecture de {name}…'],
  understood: ['Columns that count: {columns}', 'Colonnes qui comptent : {columns}'],
  otherColumns: ['Choose other columns', 'Choisir d’autres colonnes'],
  noColumn: ['none', 'aucune'],
  useColumns: ['Use these columns', 'Prendre ces colonnes'],
  ignored: ['Columns that are ignored: {columns}', 'Colonnes ignorées : {columns}'],
  firstRows: ['The first rows, as they were understood', 'Les premières lignes, telles qu’elles ont été comprises'],
  row: ['row', 'ligne'],
  titles: ['Above the header, and left out: {titles}', 'Au-dessus des en-têtes, laissé de côté : {titles}'],
  sending: ['Sending the file…', 'Envoi du fichier…'],
  heading: ['Batch {id}', 'Lot {id}'],
  progressLabel: ['Progress of the batch', 'Avancement du lot'],
  byOutcome: ['Rows by outcome', 'Lignes par issue'],
  outcome: ['Outcome', 'Issue'],
  rows: ['Rows', 'Lignes'],
  share: ['Share', 'Part'],
  speed: ['{rate} rows per second', '{rate} lignes par seconde'],
  ends: ['Ends about {time}', 'Fin vers {time}'],
  cancel: ['Cancel the batch', 'Annuler le lot'],
  download: ['Save the results', 'Enregistrer les résultats'],
  programs: ['For programs: NDJSON, GeoJSON, Parquet', 'Pour les programmes : NDJSON, GeoJSON, Parquet'],
  opened: ['Row {row} of the file, opened without a lookup.', 'Ligne {row} du fichier, ouverte sans recherche.'],
  featuresOfMap: ['the features of the map', 'les éléments de la carte'],
  rulesOfLaw: ['the rules of the law', 'les règles de droit'],
  downloading: ['Fetching the results…', 'Récupération des résultats…'],
  saved: ['{name} is ready.', '{name} est prêt.'],
  show: ['Show the batch', 'Afficher le lot'],
  mapAlt: ['Map of the rows of the batch, by outcome', 'Carte des lignes du lot, par issue'],
  countsHeading: ['What the {rows} answered rows have', 'Ce que les {rows} lignes avec une réponse ont'],
  allLayers: ['All layers', 'Toutes les couches'],
  layer: ['Layer', 'Couche'],
  colourBy: ['Colour the dots by', 'Colorer les points selon'],
  mapAltLayer: ['Map of the rows of the batch, by layer: {name}', 'Carte des lignes du lot, par couche : {name}'],
  refusedOnly: ['Only rows without an answer', 'Seulement les lignes sans réponse'],
  answer: ['Address, or why there is no answer', 'Adresse, ou pourquoi il n’y a pas de réponse'],
  rowsShown: ['Rows {from} to {to} of {total}', 'Lignes {from} à {to} sur {total}'],
  previous: ['Previous rows', 'Lignes précédentes'],
  next: ['Next rows', 'Lignes suivantes'],
} as const;

const en = {
  ...wordsIn(words, 0),
  file: { one: '{name}: {n} row', many: '{name}: {n} rows' },
  send: { one: 'Look up {n} row', many: 'Look up {n} rows' },
  noBatches: 'This key may send no files of places. The operator can allow it a number of rows per day.',
  rowsLeft: 'This key may send {left} more rows today, of {rowsPerDay} per day.',
  roles: wordsIn(roles, 0),
  chooseColumns: 'The columns of {name} have names that this page does not know. Which of them say where a place is?',
  columnsNeeded: 'Choose the column of the address, or those of latitude and longitude.',
  windows: 'Read as Windows text, because it is not UTF-8. Is “{word}” right?',
  unicode: 'Read as Unicode text (UTF-16), as Excel writes it.',
  full: 'With the evidence of each answer: tells “none” from “not known”, and each row can be opened (larger results)',
  cost: {
    one: 'The row uses at most 1 lookup: only if it gets an answer.',
    many: '{n} rows use at most {n} lookups: one for each row that gets an answer.',
  },
  states: wordsIn(states, 0),
  progress: '{done} of {total} rows are answered ({share}).',
  outcomes: wordsIn(outcomes, 0),
  error: 'The service says:',
  keptUntil: 'The results are kept until {time}, and the link in the address bar leads back here with the same key.',
  cancelNote: 'Answered rows stay, and count as lookups.',
  formats: wordsIn(formats, 0),
  /** Headers behind the reader's own columns. */
  table: wordsIn(table, 0),
  /** What the rows have in common, as the headline of a single answer says it. */
  together: {
    of: '{n} of {total}',
    unknown: 'Not known for {of}',
    restriction: { one: '{n} thing restricts land', many: '{n} things restrict land' },
    clear: 'No hazard and no restriction in what is known of these rows.',
  },
  /** What the answer of a row lacks, with the words of the button that gives it. */
  notInRows: 'It lacks {what}: “Ask anew” gives them, for one lookup.',
  noFile:
    'The page does not have your file, as after it was loaded again: the saved table begins with the number and the id of each row in place of your own columns.',
  notSaved: 'The results could not be fetched, or the file has changed since it was sent.',
  linked: 'This link leads to a batch. Enter the key with which it was sent, and show it. That uses no lookups.',
  firstCounted: 'The first {rows} rows are counted, drawn and listed here. The files have all.',
  found: { here: 'Here', close: 'Close', none: 'Not here', unknown: 'Not known' },
  unknownNote:
    'Rows by layer. Not known: the data do not reach the place or are not loaded. Where an answer is a name, rows without one count there too, unless the batch was sent with evidence.',
  mapNoteLayer: '{shown} of the first {rows} rows have a place on the map.',
  rowOutcomes: wordsIn(rowOutcomes, 0),
  mapNote: '{shown} of the first {rows} rows have a place on the map. The colours are those of the table.',
  waiting: 'The server does not answer at the moment. The page goes on asking.',
  /** Where the words for a single lookup do not fit. */
  problems: {
    BAD_REQUEST: 'This file cannot be sent: {detail}.',
    FORBIDDEN: 'This key may not send the file: {detail}.',
    RATE_LIMITED: 'Not now: {detail}. You can go on {wait}.',
    PER_DAY: 'The rows of this day do not suffice: {detail}. Split the file, or go on {wait}.',
    BATCHES_KEPT: 'There is no room for this batch: {detail}.',
    BODY_INCOMPLETE: 'The file has not arrived whole. Send it again.',
    ENCODING: 'The file is not text in UTF-8. Save it in that encoding.',
    TOO_LARGE: 'The file is too large: {detail}.',
    CONFLICT: 'That is not possible any more: {detail}.',
    GONE: 'The results are deleted: {detail}.',
    UNREADABLE: 'The file cannot be read any more. Choose it again.',
    NOT_FOUND: 'This key has no such batch. It may belong to another key, or be deleted.',
  },
  faults: {
    empty: '{name} has no rows.',
    twice: '{name} has two columns that mean the same: {first} and {second}. Rename one of them.',
    notLines: '{name} is JSON over several lines, or an array. Write one object on each line.',
    tooLarge: '{name} is larger than 256 MB. Split it.',
    tooManyRows: '{name} has more than 1,000,000 rows. Split it.',
    notUtf8: '{name} is no text that this page can read. Save it as CSV in UTF-8.',
    unreadable: '{name} cannot be read. Choose it again.',
  },
};

const fr: typeof en = {
  ...wordsIn(words, 1),
  file: { one: '{name} : {n} ligne', many: '{name} : {n} lignes' },
  send: { one: 'Chercher {n} ligne', many: 'Chercher {n} lignes' },
  noBatches:
    'Cette clé ne permet pas d’envoyer des fichiers de lieux. L’exploitant peut lui accorder un nombre de lignes par jour.',
  rowsLeft: 'Cette clé permet d’envoyer encore {left} lignes aujourd’hui, sur {rowsPerDay} par jour.',
  roles: wordsIn(roles, 1),
  chooseColumns: 'Cette page ne connaît pas les noms des colonnes de {name}. Lesquelles disent où est un lieu ?',
  columnsNeeded: 'Choisissez la colonne de l’adresse, ou celles de la latitude et de la longitude.',
  windows: 'Lu comme texte de Windows, car ce n’est pas de l’UTF-8. Est-ce que « {word} » est juste ?',
  unicode: 'Lu comme texte Unicode (UTF-16), tel qu’Excel l’écrit.',
  full: 'Avec les preuves de chaque réponse : distingue « aucun » de « inconnu », et chaque ligne peut s’ouvrir (résultats plus grands)',
  cost: {
    one: 'La ligne utilise au plus 1 recherche, seulement si elle reçoit une réponse.',
    many: '{n} lignes utilisent au plus {n} recherches : une par ligne qui reçoit une réponse.',
  },
  states: wordsIn(states, 1),
  progress: 'Lignes qui ont une réponse : {done} sur {total} ({share}).',
  outcomes: wordsIn(outcomes, 1),
  error:
    'Le lot ne peut pas aller à sa fin : sa clé ne vaut plus, ou ce qu’il lui faut n’est plus gardé. Le service le dit en anglais :',
  keptUntil: 'Les résultats sont gardés jusqu’au {time}. Le lien dans la barre d’adresse ramène ici, avec la même clé.',
  cancelNote: 'Les lignes avec une réponse restent, et comptent comme recherches.',
  formats: wordsIn(formats, 1),
  table: wordsIn(table, 1),
  together: {
    of: '{n} sur {total}',
    unknown: 'Inconnu pour {of}',
    restriction: { one: '{n} élément restreint le terrain', many: '{n} éléments restreignent le terrain' },
    clear: 'Aucun danger ni restriction dans ce qui est connu de ces lignes.',
  },
  notInRows: 'Il lui manque {what} : « Demander à nouveau » les donne, pour une recherche.',
  noFile:
    'La page n’a pas votre fichier, par exemple après un rechargement : le tableau enregistré commence par le numéro et l’identifiant de chaque ligne, à la place de vos colonnes.',
  notSaved: 'Les résultats n’ont pas pu être récupérés, ou le fichier a changé depuis son envoi.',
  linked: 'Ce lien mène à un lot. Entrez la clé qui l’a envoyé, puis affichez-le. Cela n’utilise aucune recherche.',
  firstCounted: 'Les {rows} premières lignes sont comptées, dessinées et listées ici. Les fichiers les ont toutes.',
  found: { here: 'Ici', close: 'Proche', none: 'Pas ici', unknown: 'Inconnu' },
  unknownNote:
    'Lignes par couche. Inconnu : les données n’atteignent pas le lieu ou ne sont pas chargées. Si une réponse est un nom, les lignes sans nom y comptent aussi, sauf si le lot a été envoyé avec les preuves.',
  mapNoteLayer: '{shown} des {rows} premières lignes ont un lieu sur la carte.',
  rowOutcomes: wordsIn(rowOutcomes, 1),
  mapNote: '{shown} des {rows} premières lignes ont un lieu sur la carte. Les couleurs sont celles du tableau.',
  waiting: 'Le serveur ne répond pas en ce moment. La page continue de demander.',
  /** Where the words for a single lookup do not fit. */
  problems: {
    BAD_REQUEST:
      'Le service ne peut pas lire ce fichier. Vérifiez sa première ligne, ses guillemets et son encodage (UTF-8).',
    FORBIDDEN:
      'Cette clé ne peut pas envoyer de fichier, ou pas depuis votre réseau. L’exploitant peut le lui permettre.',
    RATE_LIMITED: 'Trop de demandes pour le moment. Vous pourrez continuer {wait}.',
    PER_DAY:
      'Le fichier a plus de lignes qu’il n’en reste à cette clé aujourd’hui (UTC). Divisez-le, ou continuez {wait}.',
    BATCHES_KEPT:
      'Il n’y a plus de place pour ce lot : la clé garde déjà trop de lots, ou trop de données. Supprimez d’anciens lots, ou attendez leur fin.',
    BODY_INCOMPLETE: 'Le fichier n’est pas arrivé en entier. Envoyez-le de nouveau.',
    ENCODING: 'Le fichier n’est pas un texte en UTF-8. Enregistrez-le dans cet encodage.',
    TOO_LARGE: 'Le fichier est trop grand pour un lot. Divisez-le.',
    CONFLICT:
      'L’état du lot ne le permet pas : un lot terminé ne s’annule plus, et certains formats attendent la fin du lot.',
    GONE: 'Les résultats de ce lot ont été supprimés, car leur délai de conservation est passé. Envoyez le fichier de nouveau.',
    UNREADABLE: 'Le fichier ne peut plus être lu. Choisissez-le de nouveau.',
    NOT_FOUND: 'Cette clé n’a pas ce lot. Il appartient peut-être à une autre clé, ou il est supprimé.',
  },
  faults: {
    empty: '{name} n’a pas de lignes.',
    twice: '{name} a deux colonnes qui disent la même chose : {first} et {second}. Renommez l’une des deux.',
    notLines: '{name} est du JSON sur plusieurs lignes, ou un tableau. Écrivez un objet par ligne.',
    tooLarge: '{name} dépasse 256 Mo. Divisez-le.',
    tooManyRows: '{name} a plus de 1 000 000 de lignes. Divisez-le.',
    notUtf8: '{name} n’est pas un texte que cette page sait lire. Enregistrez-le en CSV (UTF-8).',
    unreadable: '{name} ne peut pas être lu. Choisissez-le de nouveau.',
  },
};

export const batchTexts = { en, fr };
