/** A server takes files of 50 MiB unless it was told otherwise; a phone films half a minute into that. 50 MB. */
export const VIDEO_BYTES_MAX = 50_000_000

/** A media type without what a browser says behind it: `video/webm;codecs=vp9`. */
export function bareType(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase()
}

const EXTENSIONS: Readonly<Record<string, string>> = { 'video/quicktime': '.mov', 'video/x-matroska': '.mkv' }

/** The end of the name of a file of a bare media type, with its dot: a saved copy is opened by it. */
export function extensionOfVideo(type: string): string {
  return EXTENSIONS[type] ?? `.${type.slice(type.indexOf('/') + 1).replaceAll(/[^a-z0-9]/g, '')}`
}
