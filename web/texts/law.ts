/** Texts of rules of the law, and of answers that are compared with those of now. */
const english = {
  rules: {
    heading: 'What rules of the law make of it',
    outcomes: {
      excluded: 'Excluded by what is mapped here',
      not_known: 'Not known: what decides is not known here',
      not_excluded_by_mapped_data: 'Nothing that is mapped here excludes it',
    },
    open: 'Nothing that is mapped here excludes it ({n})',
    reason: '{text} ({distance} away)',
    missing: 'Not known here: {names}.',
    check: 'What the data cannot see, and somebody has to check:',
    doubt: 'What makes this doubtful, and somebody has to check:',
    section: '{name}, {section}',
    unreadable: 'The rules cannot be read at the moment.',
    /** What the service itself has to check, by its English words. */
    service: {} as Readonly<Record<string, string>>,
  },
  compared: {
    heading: 'The answer of {before} compared with that of {now}',
    days: 'Each day is that of our record of the data, not the day from which a law holds.',
    nothing: 'Nothing has changed in any of the {n} layers.',
    changed: { one: '{n} layer has changed:', many: '{n} layers have changed:' },
    moved: 'The address is {distance} from where it was.',
    changes: {
      appeared: '{now}. It was not found before.',
      disappeared: '{name}: not found any more. Before: {before}.',
      value: 'Before: {before}. Now: {now}.',
      known: '{name}: known now, or more of it than before. Now: {now}.',
      unknown: '{name}: not known any more, or less of it. Before: {before}.',
    },
    other: 'Another feature decides it now.',
    none: 'none found',
    unknown: 'not known',
    causes: {
      address: 'Because the address is at another point now.',
      definition: 'Because the layer is defined otherwise now.',
      data: 'Because the data are others.',
    },
    asking: 'Comparing…',
    done: 'The comparison is there.',
  },
};

const french: typeof english = {
  rules: {
    heading: 'Ce que des règles de droit en font',
    outcomes: {
      excluded: 'Exclu par ce qui est cartographié ici',
      not_known: 'Inconnu : ce qui décide n’est pas connu ici',
      not_excluded_by_mapped_data: 'Rien de ce qui est cartographié ici ne l’exclut',
    },
    open: 'Rien de ce qui est cartographié ici ne les exclut ({n})',
    reason: '{text} (à {distance})',
    missing: 'Inconnu ici : {names}.',
    check: 'Ce que les données ne voient pas, et qu’il faut vérifier :',
    doubt: 'Ce qui rend cela douteux, et qu’il faut vérifier :',
    section: '{name}, {section}',
    unreadable: 'Les règles ne peuvent pas être lues pour le moment.',
    service: {
      'the rest of the parcel: this answer is about this point':
        'le reste de la parcelle : cette réponse porte sur ce point',
      'where on the parcel the building stands: a fact is true of a part of it':
        'où se trouve le bâtiment sur la parcelle : un fait est vrai d’une partie de celle-ci',
    },
  },
  compared: {
    heading: 'La réponse du {before} comparée à celle du {now}',
    days: 'Chaque jour est celui de notre relevé des données, et non le jour à partir duquel une loi s’applique.',
    nothing: 'Rien n’a changé dans aucune des {n} couches.',
    changed: { one: '{n} couche a changé :', many: '{n} couches ont changé :' },
    moved: 'L’adresse est à {distance} de l’endroit où elle était.',
    changes: {
      appeared: '{now}. Ce n’était pas trouvé avant.',
      disappeared: '{name} : n’est plus trouvé. Avant : {before}.',
      value: 'Avant : {before}. Maintenant : {now}.',
      known: '{name} : maintenant connu, ou connu en plus grande partie. Maintenant : {now}.',
      unknown: '{name} : n’est plus connu, ou l’est en moindre partie. Avant : {before}.',
    },
    other: 'Un autre élément en décide maintenant.',
    none: 'rien trouvé',
    unknown: 'inconnu',
    causes: {
      address: 'Parce que l’adresse est maintenant à un autre point.',
      definition: 'Parce que la couche est définie autrement maintenant.',
      data: 'Parce que les données sont différentes.',
    },
    asking: 'Comparaison…',
    done: 'La comparaison est là.',
  },
};

export const lawTexts = { en: english, fr: french };
