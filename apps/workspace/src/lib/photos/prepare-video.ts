import type { VideoFacts } from './read-video.ts'
import { readVideo } from './read-video.ts'
import { bareType, extensionOfVideo, VIDEO_BYTES_MAX } from './videos.ts'
import { UnreadablePhoto } from './prepare-photo.ts'

export interface PreparedVideo {
  readonly mediaType: string
  readonly extension: string
  /** `undefined`: this browser cannot play it, though others may. */
  readonly facts: VideoFacts | undefined
}

/**
 * Checks whether a video may be added. Its bytes stay unchanged, including metadata.
 *
 * @param types - accepted media types without parameters
 * @throws {UnreadablePhoto} if not
 */
export async function prepareVideo(source: Blob, types: ReadonlySet<string>): Promise<PreparedVideo> {
  const mediaType = bareType(source.type)
  if (types.size === 0) throw new UnreadablePhoto('video', 'Videos are not taken here.')
  if (!types.has(mediaType)) throw new UnreadablePhoto('video_kind', 'This kind of video is not taken here.')
  if (source.size === 0) throw new UnreadablePhoto('empty', 'The file is empty.')
  if (source.size > VIDEO_BYTES_MAX) throw new UnreadablePhoto('video_too_large', 'The video is too large.')
  return { mediaType, extension: extensionOfVideo(mediaType), facts: await readVideo(source) }
}
