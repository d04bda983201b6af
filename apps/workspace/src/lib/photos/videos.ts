/** Size limit in bytes, matching the server's default of 50 MiB: half a minute of a phone's video. 50 MB. */
export const VIDEO_BYTES_MAX = 50_000_000

/** Strips parameters from a media type: `video/webm;codecs=vp9`. */
export function bareType(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase()
}

const EXTENSIONS: Readonly<Record<string, string>> = { 'video/quicktime': '.mov', 'video/x-matroska': '.mkv' }

/** Returns the file extension of a media type with its dot, so saved copies can be opened. */
export function extensionOfVideo(type: string): string {
  return EXTENSIONS[type] ?? `.${type.slice(type.indexOf('/') + 1).replaceAll(/[^a-z0-9]/g, '')}`
}
