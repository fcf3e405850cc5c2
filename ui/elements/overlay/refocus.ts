// Where the focus goes when what had it, or would get it back, is gone: to the name of what is open, or of the page. The document says
// while something is open over the page, for print.

type Place = Readonly<{ focus: () => void }>;

/** The innermost last. */
let places: readonly Place[] = [];

/** The page lies below all that is open over it. */
export const pageCame = (page: Place): void => {
  places = [page, ...places];
};

export function opened(place: Place): void {
  places = [...places, place];
  document.documentElement.dataset['over'] = '';
}

export function left(place: Place): void {
  places = places.filter((one) => one !== place);
  if (places.length < 2) delete document.documentElement.dataset['over'];
}

export const refocus = (): void => places.at(-1)?.focus();
