/** The buttons that ask for something, and so mostly spend. */
const ASKING = '.primary, .example, .suggestion, #ask-centre, #ask-anew';

/** Drops the second click of a double click on such a button: it would ask, and spend, again. */
export function dropSecondClicks() {
  document.addEventListener(
    'click',
    (event) => {
      const { detail, target } = event;
      if (detail < 2 || !(target instanceof Element) || !target.closest(ASKING)) return;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
}
