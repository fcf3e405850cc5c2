// Where the focus goes when what had it, or would get it back, is gone: to the name of what is open, or of the page.

type Place = Readonly<{ focus: () => void }>;

/** The innermost last. */
let places: readonly Place[] = [];

/** The page lies below all that is open over it. */
export const pageCame = (page: Place): void => void (places = [page, ...places]);
export const opened = (place: Place): void => void (places = [...places, place]);
export const left = (place: Place): void => void (places = places.filter((one) => one !== place));

export const refocus = (): void => places.at(-1)?.focus();
