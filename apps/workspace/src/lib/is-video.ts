/** @param type - a media type, maybe with codecs behind it */
export function isVideo(type: string | null): boolean {
  return type?.startsWith('video/') ?? false
}
