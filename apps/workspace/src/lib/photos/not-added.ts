import { addPhotosMessages } from '../../messages/add-photos.ts'
import { videoMessages } from '../../messages/videos.ts'
import { pageLocale } from '../language.ts'
import type { AddOutcome } from './use-photos.ts'
import { extensionOfVideo, VIDEO_BYTES_MAX } from './videos.ts'

/**
 * Returns one sentence per reason.
 *
 * @param videoTypes - accepted by the project
 */
export function notAdded(refused: AddOutcome['refused'], videoTypes: ReadonlySet<string>): string {
  const sentences = [...Map.groupBy(refused, ({ reason }) => reason)].map(([reason, files]) => {
    const names = files.map(({ name }) => name)
    switch (reason) {
      case 'video_too_large':
        return videoMessages.tooLarge(names, VIDEO_BYTES_MAX)
      case 'video_kind':
        return videoMessages.wrongKind(names, kindsOf(videoTypes))
      case 'video':
      case 'empty':
      case 'too_large':
      case 'unreadable':
        return addPhotosMessages.notAdded[reason](names)
      default:
        return reason satisfies never
    }
  })
  return sentences.join(' ')
}

/** Lists file types by extension. */
function kindsOf(types: ReadonlySet<string>): string {
  const kinds = [...types].map((type) => extensionOfVideo(type).slice(1).toUpperCase())
  return new Intl.ListFormat(pageLocale(), { type: 'disjunction' }).format(kinds)
}
