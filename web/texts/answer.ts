/** Texts of answers that are long lists. */
import { wordsIn } from './pairs.ts';

/** What is drawn, by data set, in English and French; one that is not here goes by its title. */
const features: Record<string, readonly [string, string]> = {
  greenbelt: ['Greenbelt designation', 'Ceinture de verdure'],
  greenbelt_specialty_crop: ['Specialty crop area', 'Zone de cultures spéciales'],
  orm_land_use: ['Oak Ridges Moraine plan', "Plan de la moraine d'Oak Ridges"],
  nep_boundary: ['Niagara Escarpment Plan', "Plan de l'escarpement du Niagara"],
  nep_designation: ['Escarpment designation', "Désignation de l'escarpement"],
  lake_simcoe_watershed: ['Lake Simcoe watershed', 'Bassin du lac Simcoe'],
  clupa_provincial: ['Crown land use area', "Zone d'utilisation des terres de la Couronne"],
  ohn_watercourse: ['Watercourse', "Cours d'eau"],
  ohn_waterbody: ['Lake or river', 'Lac ou rivière'],
  ohn_shoreline: ['Shoreline', 'Rive'],
  wetland: ['Wetland', 'Milieu humide'],
  flood_hazard: ['Mapped flood hazard', "Risque d'inondation cartographié"],
  source_protection_area: ['Source protection area', 'Zone de protection des sources'],
  owb_tertiary: ['Tertiary watershed', 'Bassin versant tertiaire'],
  well_records: ['Water well', "Puits d'eau"],
  soil_survey_complex: ['Soil unit', 'Unité de sol'],
  tile_drainage_area: ['Tile drainage', 'Drainage souterrain'],
  constructed_drain: ['Constructed drain', 'Installation de drainage'],
  natural_heritage_system: ['Natural heritage system', 'Système du patrimoine naturel'],
  ecoregion: ['Ecoregion', 'Écorégion'],
  ansi: ['Natural and scientific interest', 'Intérêt naturel et scientifique'],
  wooded_area: ['Wooded area', 'Zone boisée'],
  provincial_park_regulated: ['Provincial park', 'Parc provincial'],
  conservation_reserve_regulated: ['Conservation reserve', 'Réserve de conservation'],
  ca_admin_areas: ['Conservation authority', 'Office de protection de la nature'],
  municipal_lower_single: ['Municipality', 'Municipalité'],
  municipal_upper_district: ['Upper tier or district', 'Palier supérieur ou district'],
  geographic_township: ['Geographic township', 'Canton géographique'],
  lot_fabric: ['Lot and concession', 'Lot et concession'],
  built_up_area: ['Built-up area', 'Zone bâtie'],
  first_nation_reserve: ['First Nation reserve', 'Réserve de Première Nation'],
  airport_official: ['Airport', 'Aéroport'],
  aggregate_site_active: ['Pit or quarry', 'Carrière ou gravière'],
  waste_management_site: ['Waste site', 'Site de déchets'],
  petroleum_well: ['Petroleum well', 'Puits de pétrole ou de gaz'],
  orwn_track: ['Railway', 'Voie ferrée'],
  utility_line: ['Transmission line', 'Ligne de transport d’électricité'],
};

/** What differs between the address that was asked for and the one that was found, by codes. In English the service has the words. */
const differences = {
  TYPE_MISSING: 'le type de la rue n’était pas indiqué',
  TYPE_IN_OTHER_LANGUAGE: 'le registre a le type de la rue dans l’autre langue',
  TYPE_DIFFERS: 'la rue n’est pas du type indiqué',
  TYPE_IN_NAME: 'le dernier mot de la rue est lu comme une partie de son nom',
  DIRECTION_MISSING: 'le point cardinal de la rue n’était pas indiqué',
  DIRECTION_EXTRA: 'la rue n’a pas de point cardinal',
  DIRECTION_DIFFERS: 'la rue a un autre point cardinal que celui qui est indiqué',
  DIRECTION_MOVED: 'le point cardinal de la rue est à une autre place',
  ROAD_KIND_DIFFERS: 'la route est d’un autre genre que celui qui est indiqué',
  STREET_CORRECTED: 'l’orthographe de la rue est corrigée',
  SHORT_STREET_CORRECTED: 'l’orthographe de la rue est corrigée',
  WORDS_LEFT_OUT: 'des mots devant l’adresse ou derrière la rue ont été laissés de côté',
  SUFFIX_APART: 'une lettre qui suit le numéro est lue comme son suffixe',
  SUFFIX_UNKNOWN: 'le registre a ce numéro avec un autre suffixe, ou sans suffixe',
  CIVIC_RANGE: 'deux numéros sont lus comme une suite de numéros',
  CIVIC_BEHIND: 'le numéro est derrière la rue',
  UNIT_BEHIND: 'le second numéro est lu comme l’unité du premier',
  UNIT_UNKNOWN: 'l’unité n’est pas dans le registre',
  INTERPOLATED: 'l’adresse est placée entre des numéros connus',
  POSITION_DOUBTFUL: 'la position que le registre donne contredit celle des numéros voisins',
  MUNICIPALITY_TODAY: 'le registre rattache la rue à {municipality}',
  MUNICIPALITY_NEARBY: 'le registre rattache la rue à {municipality}',
  MUNICIPALITY_FORMER: 'le registre rattache la rue à {municipality}',
  MUNICIPALITY_CORRECTED: 'l’orthographe de la ville est corrigée',
  MUNICIPALITY_MISSING: 'la ville n’était pas indiquée ; le registre rattache la rue à {municipality}',
  MUNICIPALITY_DIFFERS: 'le registre rattache la rue à {municipality}',
  POSTAL_CODE_DIFFERS: 'le lieu a un autre code postal',
  POSTAL_AREA_DIFFERS: 'le code postal est d’un autre secteur',
  POSTAL_DISTRICT_DIFFERS: 'le code postal est d’une autre région',
};

/** By keys that anybody may write into an answer. */
type Words = Record<'features' | 'differences', Partial<Record<string, string>>>;

export const answerTexts: Record<'en' | 'fr', Words> = {
  en: { features: wordsIn(features, 0), differences: {} },
  fr: { features: wordsIn(features, 1), differences },
};
