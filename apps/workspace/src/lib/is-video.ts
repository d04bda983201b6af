/** @param type - a media type, possibly with codecs */
export function isVideo(type: string | null): boolean {
  return type?.startsWith('video/') ?? false
}
