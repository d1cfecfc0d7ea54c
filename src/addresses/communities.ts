import { municipalityKey } from './municipality-name.ts';
import { tokenise } from './tokens.ts';

/**
 * Villages and hamlets of Ontario beside those in `former-municipalities.ts`: a name of this list is never taken for a
 * misspelt one ("Brookville" is not Brockville). The names are those of Canada's geographical names (Natural Resources
 * Canada, Open Government Licence - Canada), chosen by hand where they are near the name of a town; the list is not
 * complete (docs/decisions/0165).
 */
const names = `
Ailsa Craig, Allenford, Almira, Alton, Alvinston, Arkona, Arva, Atwood, Avonmore, Ayton, Baltimore, Barriefield, Bath, Battersea,
Bayfield, Belgrave, Belmont, Bewdley, Blackstock, Bolingbroke, Bolsover, Bond Head, Bourget, Brechin, Breslau, Brights Grove,
Brookville, Brownsville, Brucefield, Brussels, Burford, Burgessville, Burritts Rapids, Byron, Cainsville, Caistor Centre, Cambray,
Camlachie, Canfield, Cannifton, Canton, Cardiff, Cargill, Carlow, Castleton, Cathcart, Chesterville, Claremont, Clarksburg, Clifford,
Coboconk, Colborne, Coldwater, Comber, Conn, Cookstown, Cookstown, Corbyville, Cottam, Courtland, Courtright, Crampton, Crediton,
Creemore, Crosby, Crosshill, Crysler, Dalston, Dashwood, Delaware, Delta, Demorestville, Denbigh, Denfield, Desboro, Donegal, Dorset,
Douglas, Drayton, Drumbo, Dublin, Dundalk, Dungannon, Dunsford, Eden, Eden Mills, Edgar, Elginburg, Elmvale, Elmwood, Embro, Ennismore,
Erinsville, Ethel, Everett, Everton, Fenella, Feversham, Fingal, Flesherton, Flinton, Floradale, Florence, Foldens, Fordwich, Formosa,
Fullarton, Gads Hill, Glammis, Glen Morris, Glen Williams, Glenburnie, Gorrie, Gowanstown, Grafton, Grand Bend, Granton, Greenbank,
Greenwood, Griersville, Hallville, Hampton, Harley, Harrington, Harrisburg, Harrow, Harrowsmith, Hartington, Harwood, Hawkestone,
Haysville, Heidelberg, Hensall, Hepworth, Hickson, Highgate, Hillsburgh, Hillsdale, Hilton, Holstein, Holyrood, Hornby, Ilderton,
Inglewood, Innerkip, Inverary, Inwood, Ivy, Joyceville, Keene, Kendal, Kenilworth, Kerwood, Kilsyth, Kilworth, Kimberley, Kinglake,
Kinsale, Kintail, Kintore, Kippen, Kirkton, Komoka, Lakeside, Lansdowne, Lefroy, Leith, Limehouse, Linwood, Lions Head, Lisle, Little
Current, Londesborough, Lowville, Lucknow, Lyn, Lyndhurst, Lynn, Lyons, Maberly, Maidstone, Maitland, Mallorytown, Marden, Marlbank,
Marsville, Martintown, Maxwell, Maxville, Melbourne, Merton, Mildmay, Milford, Millbank, Millbrook, Milverton, Mitchell, Monkton, Moorefield,
Morewood, Morpeth, Morriston, Moscow, Mount Brydges, Mount Pleasant, Mountain, Nairn, Nestleton, Neustadt, New Dundee, Newboro, Newburgh,
Newry, Newton, Newtonville, Nile, Nobel, Norland, Norval, Norwood, Oakland, Oakwood, Odessa, Oil City, Orton, Orwell, Osprey, Otterville,
Pakenham, Palgrave, Parham, Parkhill, Perrytown, Petersburg, Pinkerton, Plainfield, Plattsville, Plevna, Pontypool, Priceville, Princeton,
Ravenna, Riceville, Richards Landing, Ripley, Ripon, Riverton, Roblin, Rockwood, Rodney, Roseneath, Rosemont, Roseville, Roslin, Rosslyn,
Rostock, Salem, Salford, Sauble Beach, Sebringville, Selby, Selkirk, Shakespeare, Shallow Lake, Sheffield, Singhampton, Snelgrove, Sombra,
Sparta, Spencerville, Springbrook, Springfield, Springford, St. Agatha, St. Clements, St. Pauls, Staffa, Stella, Stirling, Stockdale,
Straffordville, Sunbury, Sunderland, Sydenham, Tamworth, Tara, Tatlock, Teeswater, Teeterville, Terra Cotta, Thamesford, Thedford, Thorndale,
Thornton, Tiverton, Toledo, Tory Hill, Tyrone, Union, Utopia, Utterson, Vandorf, Vanessa, Varna, Varney, Verona, Vittoria, Waldemar, Walford,
Walsh, Walters Falls, Walton, Wardsville, Warsaw, Washago, Waubaushene, Wellandport, Wendover, Westbrook, Westover, Wexford, Whitevale,
Wilfrid, Wilkesport, Williamsburg, Williamsford, Williamstown, Wilton, Wilton Grove, Winger, Winthrop, Wolverton, Woodham, Woodslee,
Woodville, Wooler, Wroxeter, Wyebridge, Wyevale, Yarker, Zephyr, Zurich`;

const communities = new Set(names.split(',').map((name) => municipalityKey(tokenise(name))));

/** Says whether a key (`municipalityKey`) is that of a village or hamlet of the list. */
export function isCommunity(key: string): boolean {
  return communities.has(key);
}
