// Moves the focus to the heading of the open overlay or page when the focused element is removed.
// Marks the document while an overlay is open, for print.

type Place = Readonly<{ focus: () => void }>;

/** The innermost overlay is last. */
let places: readonly Place[] = [];

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
