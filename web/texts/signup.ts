/** The texts of the sign-up page, in both languages. */
import { wordsIn } from './pairs.ts';

/** Of the fixed parts of the page, in English and French. */
const page = {
  title: ['Get a key', 'Obtenir une clé'],
  subtitle: ['Ontario land data for a street address', "Données foncières de l'Ontario pour une adresse municipale"],
  page: ['Look an address up', 'Chercher une adresse'],
  account: ['Account', 'Compte'],
  documentation: ['API documentation', "Documentation de l'API"],
  offerHeading: ['A key in a minute', 'Une clé en une minute'],
  priceLabel: ['Price', 'Prix'],
  billedLabel: ['Not billed', 'Non facturé'],
  limitLabel: ['Limit', 'Limite'],
  dueLabel: ['Due now', 'Dû maintenant'],
  endLabel: ['Ending it', 'Résilier'],
  end: ["At any time, in the payment processor's portal.", 'À tout moment, dans le portail du service de paiement.'],
  terms: ['Terms of service', "Conditions d'utilisation"],
  submit: ['Continue to the payment processor', 'Continuer vers le service de paiement'],
} as const;

const en = {
  page: {
    ...wordsIn(page, 0),
    testMode: 'Test mode: the payment processor takes test cards, and nothing is billed.',
    what: 'A key answers what is known of the land at an address in Ontario: plans, hazards, water, soil, nature and boundaries, each answer with its source and date. You pay for what you look up, and nothing else.',
    billed: 'Addresses that are not found, places outside Ontario, and errors.',
    due: 'Nothing. A payment method is needed; the payment processor keeps it, not this service.',
    submitNote: 'With this button you accept the terms. The key is shown on this page when you come back, once.',
  },
  price: '{amount} for each answered lookup, billed each {interval}',
  priceVaries: 'Depends on the number of lookups, billed each {interval}: the payment processor shows it',
  priceUnknown: 'The price cannot be read at the moment. Try again in a minute.',
  intervals: { day: 'day', week: 'week', month: 'month', year: 'year', other: '{count} {unit}s' },
  limit: '{count} lookups per hour',
  problems: {
    limit: 'Too many sign-ups were begun, from your network or in all. Try again in an hour.',
    busy: 'The payment processor does not answer at the moment. Nothing was ordered. Try again in a minute.',
  },
  waiting: 'Waiting for the payment processor…',
  key: {
    heading: 'Your key',
    once: 'It is shown this once. Keep it where you keep passwords: whoever has it can look up at your cost.',
    copy: 'Copy the key',
    copied: 'The key is in the clipboard.',
    notCopied: 'The browser did not allow copying.',
    curl: 'Try it in a terminal:',
    copyCurl: 'Copy the command',
    use: 'Look an address up with it',
    account: 'Open its account',
  },
  shown: {
    heading: 'The key was shown',
    text: 'A key is shown once. If you did not keep it, the operator of this service can give it a new secret: name the key {keyId}.',
  },
  open: {
    heading: 'The sign-up is not finished',
    text: "The payment processor's page was not filled in. Nothing was ordered.",
    again: 'Go on with the sign-up',
  },
  unknown: {
    heading: 'No sign-up in this browser',
    text: 'The key is shown only in the browser in which the sign-up began. Come back there within a day; otherwise the subscription is cancelled, and nothing is billed.',
    again: 'Begin a sign-up',
  },
  elsewhere: {
    heading: 'This sign-up began in another browser',
    text: 'Its key would have gone there, so the sign-up is cancelled, and nothing is billed. If somebody sent you a link to the page of the payment processor, you were meant to pay for that person. If it was you, begin again and stay in one browser.',
    again: 'Begin a sign-up',
  },
  ended: {
    heading: 'The sign-up was cancelled',
    text: 'There is no key, the subscription is cancelled, and nothing is billed.',
    again: 'Begin anew',
    reason: 'Reason:',
    reasons: {
      ELSEWHERE: 'it was paid for in another browser than the one in which it began.',
      NOBODY_CAME: 'nobody came back for the key within a day.',
    },
  },
  failed: {
    heading: 'The key cannot be shown yet',
    text: 'The payment processor has not confirmed yet, or does not answer. Nothing is lost: reload this page in a while. If the key is not shown within a day, the subscription is cancelled, and nothing is billed.',
    again: 'Try again',
  },
};

const fr: typeof en = {
  page: {
    ...wordsIn(page, 1),
    testMode: "Mode d'essai : le service de paiement accepte des cartes d'essai, et rien n'est facturé.",
    what: "Une clé donne ce qui est connu du terrain d'une adresse en Ontario : plans, dangers, eau, sol, nature et limites, chaque réponse avec sa source et sa date. Vous payez ce que vous cherchez, et rien d'autre.",
    billed: "Les adresses introuvables, les lieux hors de l'Ontario et les erreurs.",
    due: "Rien. Un moyen de paiement est nécessaire ; c'est le service de paiement qui le garde, pas ce service-ci.",
    submitNote:
      'Avec ce bouton, vous acceptez les conditions. La clé est affichée sur cette page à votre retour, une seule fois.',
  },
  price: '{amount} par recherche répondue, facturé chaque {interval}',
  priceVaries: 'Selon le nombre de recherches, facturé chaque {interval} : le service de paiement l’affiche',
  priceUnknown: 'Le prix ne peut pas être lu en ce moment. Réessayez dans une minute.',
  intervals: { day: 'jour', week: 'semaine', month: 'mois', year: 'année', other: '{count} {unit}s' },
  limit: '{count} recherches par heure',
  problems: {
    limit: "Trop d'inscriptions ont été commencées, depuis votre réseau ou en tout. Réessayez dans une heure.",
    busy: "Le service de paiement ne répond pas en ce moment. Rien n'a été commandé. Réessayez dans une minute.",
  },
  waiting: 'En attente du service de paiement…',
  key: {
    heading: 'Votre clé',
    once: "Elle n'est affichée que cette fois. Gardez-la avec vos mots de passe : qui la possède peut chercher à vos frais.",
    copy: 'Copier la clé',
    copied: 'La clé est dans le presse-papiers.',
    notCopied: "Le navigateur n'a pas permis la copie.",
    curl: 'Essayez-la dans un terminal :',
    copyCurl: 'Copier la commande',
    use: 'Chercher une adresse avec elle',
    account: 'Ouvrir son compte',
  },
  shown: {
    heading: 'La clé a été affichée',
    text: "Une clé n'est affichée qu'une fois. Si vous ne l'avez pas gardée, l'exploitant de ce service peut lui donner un nouveau secret : nommez la clé {keyId}.",
  },
  open: {
    heading: "L'inscription n'est pas terminée",
    text: "La page du service de paiement n'a pas été remplie. Rien n'a été commandé.",
    again: "Poursuivre l'inscription",
  },
  unknown: {
    heading: 'Aucune inscription dans ce navigateur',
    text: "La clé n'est affichée que dans le navigateur où l'inscription a commencé. Revenez-y dans la journée ; sinon l'abonnement est annulé, et rien n'est facturé.",
    again: 'Commencer une inscription',
  },
  elsewhere: {
    heading: 'Cette inscription a commencé dans un autre navigateur',
    text: "Sa clé y serait allée ; l'inscription est donc annulée, et rien n'est facturé. Si quelqu'un vous a envoyé un lien vers la page du service de paiement, vous deviez payer pour cette personne. Si c'était vous, recommencez et restez dans un seul navigateur.",
    again: 'Commencer une inscription',
  },
  ended: {
    heading: "L'inscription a été annulée",
    text: "Il n'y a pas de clé, l'abonnement est annulé, et rien n'est facturé.",
    again: 'Recommencer',
    reason: 'Raison :',
    reasons: {
      ELSEWHERE: 'elle a été payée dans un autre navigateur que celui où elle a commencé.',
      NOBODY_CAME: "personne n'est revenu chercher la clé dans la journée.",
    },
  },
  failed: {
    heading: 'La clé ne peut pas encore être affichée',
    text: "Le service de paiement n'a pas encore confirmé, ou ne répond pas. Rien n'est perdu : rechargez cette page plus tard. Si la clé n'est pas affichée dans la journée, l'abonnement est annulé, et rien n'est facturé.",
    again: 'Réessayer',
  },
};

export const signupTexts = { en, fr };
