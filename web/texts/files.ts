/** The texts of files with parcels, points and answers: only who has one loads them. */

const en = {
  understood: '{name}: a parcel of about {area} with {corners} corners. Nothing has been asked yet.',
  askOne: 'Ask for this parcel: 1 lookup',
  several: '{name} has {count} outlines, together about {area}. Are they one parcel, or each its own?',
  oneOfSeveral: '{name} has {count} outlines, together about {area}. They are asked for as one parcel.',
  askTogether: 'Ask for all together: 1 lookup',
  askEach: 'Look each up by itself: {all} lookups',
  crossingInFile: 'Its outline crosses itself: it is answered as it can be repaired. Check the file.',
  faults: {
    notJson: 'This is not JSON.',
    cutOff: 'It begins as JSON, and is cut off or has a fault. Save it or copy it again.',
    notUtf8: 'It is no text in UTF-8. Save it in that encoding.',
    notGeojson: 'It is JSON, but not GeoJSON. Save it as GeoJSON in WGS 84 (EPSG:4326), for example with QGIS.',
    esri: 'It is JSON of Esri, not GeoJSON. Ask the server with f=geojson, or save it as GeoJSON with QGIS.',
    serverError: 'It is no map: the server refused to give one ({detail}).',
    noFeatures: 'It has no features.',
    nothing: 'There is no polygon in it, and no point. It has {left}.',
    pointsAlone: 'There is no polygon in it, only points. Enter their coordinates as an address, such as 44.3, -79.3.',
    brokenOutline: 'The outline of feature {number} is not complete: a ring needs at least four positions.',
    notNumbers: 'Feature {number} has coordinates that are no numbers.',
    notDegrees:
      'The coordinates of feature {number} are not degrees, and may be metres. Convert it to WGS 84 (EPSG:4326) first, for example with QGIS.',
    exchanged: 'Its latitudes come first. GeoJSON has the longitude first: exchange them.',
    otherCrs:
      'It is in another coordinate system ({crs}). Convert it to WGS 84 (EPSG:4326) first, for example with QGIS.',
    tooManyVertices: 'Feature {number} has more than {most} corners. Simplify it first.',
    tooManyTogether: 'Together the outlines have more than {most} corners, too many for one lookup.',
  },
  /** What a file has and is not asked for. */
  left: 'Left out: {left}.',
  leftOut: {
    lines: 'lines, which have no area ({n})',
    noGeometry: 'features without a place ({n})',
    besides: 'points and lines of features that have an outline ({n})',
    otherShapes: 'shapes of other kinds ({n})',
    pictures: 'pictures ({n})',
    links: 'links to other files, or other files in it ({n})',
  },
  isPart: 'The file says that it is not whole: the server had more. Get the rest first.',
  isNad83: 'Its coordinates are in NAD83, which counts as WGS 84 here: in Ontario they are 1 to 1.5 m apart.',
  tooManyTogether: 'Together they have more than {most} corners, too many for one lookup.',
  mixed: '{name} has outlines ({count}, together about {area}) and points ({points}). Nothing has been asked yet.',
  points: '{name} has points ({points}). Nothing has been asked yet.',
  pointsLeft: 'The points are left out: enter their coordinates as an address, such as 44.3, -79.3.',
  askOutlines: 'Ask for the outlines together, without the points: 1 lookup',
  askPoint: 'Look the point up: 1 lookup',
  files: {
    map: '{name} is a map file ({format}) that this page cannot read. Save it as GeoJSON in WGS 84 (EPSG:4326), for example with QGIS, and drop that file here.',
    archive: '{name} is an archive. Unpack it, and drop the file that is in it here: GeoJSON, KML, CSV or NDJSON.',
    spreadsheet: '{name} is a spreadsheet. Save its sheet as CSV, and drop that file here.',
    other: '{name} is no table of places and no outline of a parcel. The page takes CSV, NDJSON, GeoJSON, KML and KMZ.',
    webpage: '{name} is a web page, perhaps one that asks to log in. Get the file itself.',
    pointer: '{name} only stands for a file (Git LFS). Get the file itself.',
    /** Where the page takes files of one kind alone. */
    only: '{name} is not a file that this page takes: it takes {formats}.',
    formats: { areas: 'GeoJSON, KML and KMZ', batches: 'CSV and NDJSON', compare: 'an answer as JSON' },
  },
  fileFaults: {
    empty: '{name} has nothing in it.',
    tooLarge:
      '{name} has {size} MB. The page reads outlines and points of up to {most} MB: keep only those that you ask about, with QGIS for example, or save points as CSV.',
    tooLargeUnpacked:
      '{name} has more than {most} MB when it is unpacked. Keep only what you ask about, and save it again.',
    several: 'These are several files, and none was read. Drop one at a time.',
    unreadable: '{name} cannot be read: it is a folder, or not there any more.',
    notXml: '{name} is no readable KML. Open it in Google Earth or QGIS, and save it again.',
    brokenKml:
      '{name} has a position or an outline that is not complete, or an outline with several outer rings. Open it in Google Earth or QGIS, and mend it there.',
  },
};

const fr: typeof en = {
  understood: '{name} : une parcelle d’environ {area} avec {corners} sommets. Rien n’a encore été demandé.',
  askOne: 'Demander cette parcelle : 1 recherche',
  several:
    '{name} a {count} contours, ensemble d’environ {area}. Forment-ils une seule parcelle, ou chacun la sienne ?',
  oneOfSeveral: '{name} a {count} contours, ensemble d’environ {area}. Ils sont demandés comme une seule parcelle.',
  askTogether: 'Demander le tout ensemble : 1 recherche',
  askEach: 'Chercher chacun à part : {all} recherches',
  crossingInFile: 'Son contour se croise : la réponse portera sur le contour réparé. Vérifiez le fichier.',
  faults: {
    notJson: "Ce n'est pas du JSON.",
    cutOff: 'Cela commence comme du JSON, mais est coupé ou a une faute. Enregistrez-le ou copiez-le de nouveau.',
    notUtf8: 'Ce n’est pas un texte en UTF-8. Enregistrez-le dans cet encodage.',
    notGeojson:
      'C’est du JSON, mais pas du GeoJSON. Enregistrez-le en GeoJSON, en WGS 84 (EPSG:4326), par exemple avec QGIS.',
    esri: 'C’est du JSON d’Esri, pas du GeoJSON. Demandez au serveur f=geojson, ou enregistrez-le en GeoJSON avec QGIS.',
    serverError: 'Ce n’est pas une carte : le serveur a refusé d’en donner une ({detail}).',
    noFeatures: 'Il n’y a aucune entité dedans.',
    nothing: 'Il n’y a ni polygone ni point dedans, mais : {left}.',
    pointsAlone:
      'Il n’y a pas de polygone dedans, seulement des points. Entrez leurs coordonnées comme adresse, par exemple 44.3, -79.3.',
    brokenOutline: 'Le contour de l’entité {number} n’est pas complet : un anneau a au moins quatre positions.',
    notNumbers: 'L’entité {number} a des coordonnées qui ne sont pas des nombres.',
    notDegrees:
      'Les coordonnées de l’entité {number} ne sont pas des degrés, mais peut-être des mètres. Convertissez le fichier en WGS 84 (EPSG:4326), par exemple avec QGIS.',
    exchanged: 'Les latitudes viennent d’abord. Le GeoJSON met la longitude d’abord : inversez-les.',
    otherCrs:
      'C’est dans un autre système de coordonnées ({crs}). Convertissez-le en WGS 84 (EPSG:4326), par exemple avec QGIS.',
    tooManyVertices: 'L’entité {number} a plus de {most} coins. Simplifiez-la.',
    tooManyTogether: 'Ensemble, les contours ont plus de {most} coins : c’est trop pour une recherche.',
  },
  left: 'Laissés de côté : {left}.',
  leftOut: {
    lines: 'lignes, qui n’ont pas de surface ({n})',
    noGeometry: 'entités sans lieu ({n})',
    besides: 'points et lignes d’entités qui ont un contour ({n})',
    otherShapes: 'formes d’un autre genre ({n})',
    pictures: 'images ({n})',
    links: 'liens vers d’autres fichiers, ou autres fichiers contenus ({n})',
  },
  isPart: 'Le fichier dit qu’il n’est pas entier : le serveur en avait plus. Obtenez d’abord le reste.',
  isNad83: 'Ses coordonnées sont en NAD83, qui compte ici comme WGS 84 : en Ontario, l’écart est de 1 à 1,5 m.',
  tooManyTogether: 'Ensemble, ils ont plus de {most} coins : c’est trop pour une recherche.',
  mixed:
    '{name} a des contours ({count}, ensemble d’environ {area}) et des points ({points}). Rien n’a encore été demandé.',
  points: '{name} a des points ({points}). Rien n’a encore été demandé.',
  pointsLeft: 'Les points sont laissés de côté : entrez leurs coordonnées comme adresse, par exemple 44.3, -79.3.',
  askOutlines: 'Demander les contours ensemble, sans les points : 1 recherche',
  askPoint: 'Chercher le point : 1 recherche',
  files: {
    map: '{name} est un fichier de carte ({format}) que cette page ne lit pas. Enregistrez-le en GeoJSON, en WGS 84 (EPSG:4326), par exemple avec QGIS, et déposez ce fichier ici.',
    archive:
      '{name} est une archive. Décompressez-la, et déposez ici le fichier qu’elle contient : GeoJSON, KML, CSV ou NDJSON.',
    spreadsheet: '{name} est un classeur. Enregistrez la feuille en CSV, et déposez ce fichier ici.',
    other:
      '{name} n’est ni un tableau de lieux ni le contour d’une parcelle. La page accepte CSV, NDJSON, GeoJSON, KML et KMZ.',
    webpage: '{name} est une page web, peut-être une qui demande de se connecter. Obtenez le fichier lui-même.',
    pointer: '{name} ne fait que représenter un fichier (Git LFS). Obtenez le fichier lui-même.',
    only: '{name} n’est pas un fichier que cette page accepte : elle accepte {formats}.',
    formats: { areas: 'GeoJSON, KML et KMZ', batches: 'CSV et NDJSON', compare: 'une réponse en JSON' },
  },
  fileFaults: {
    empty: '{name} est vide.',
    tooLarge:
      '{name} a {size} Mo. La page lit des contours et des points jusqu’à {most} Mo : gardez seulement ceux que vous demandez, par exemple avec QGIS, ou enregistrez les points en CSV.',
    tooLargeUnpacked:
      '{name} a plus de {most} Mo une fois décompressé. Gardez seulement ce que vous demandez, et enregistrez-le de nouveau.',
    several: 'Ce sont plusieurs fichiers, et aucun n’a été lu. Déposez-en un à la fois.',
    unreadable: '{name} ne peut pas être lu : c’est un dossier, ou il n’est plus là.',
    notXml: '{name} n’est pas du KML lisible. Ouvrez-le dans Google Earth ou QGIS, et enregistrez-le de nouveau.',
    brokenKml:
      '{name} a une position ou un contour incomplet, ou un contour à plusieurs anneaux extérieurs. Ouvrez-le dans Google Earth ou QGIS, et corrigez-le là.',
  },
};

export type FileTexts = typeof en;

export const fileTexts = { en, fr };
