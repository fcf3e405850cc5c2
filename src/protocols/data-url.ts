// Parses a `data:` URL (RFC 2397). The base64 is never decoded.

export type DataUrl = Readonly<{
  /** Lower case, without parameters. */
  mediaType: string;
  base64: string;
}>;

/** Null if the value is not a base64 `data:` URL. */
export function readDataUrl(url: string): DataUrl | null {
  if (!/^data:/i.test(url)) return null;
  const comma = url.indexOf(',');
  if (comma === -1) return null;
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  const isBase64 = parameters.some((parameter) => parameter.trim().toLowerCase() === 'base64');
  return isBase64
    ? { mediaType: mediaType.trim().toLowerCase(), base64: url.slice(comma + 1) }
    : null;
}
