import { useAttachment, useAttachments, useValue } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { formatBytes } from '../../lib/format.ts'
import { loadsUnasked, type Photo } from '../../lib/photos/use-photos.ts'
import { saveBlob } from '../../lib/save-file.ts'
import { photoMessages } from '../../messages/photos.ts'
import { videoMessages as words } from '../../messages/videos.ts'
import { NotHere } from './photo-picture.tsx'

/** The viewer's video, played from this device. A video that is not on this device loads only on request, because it is large. */
export function VideoPicture({ photo, name }: { readonly photo: Photo; readonly name: string }): JSX.Element {
  const { file, url, isLoading, load } = useAttachment(photo.id, { fetches: loadsUnasked })
  const attachments = useAttachments()
  const pause = useValue(attachments.pause)
  const [failedUrl, setFailedUrl] = useState<string>()
  const save = async (): Promise<void> => {
    const copy = await attachments.exportFile(photo.id)
    if (copy) saveBlob(copy.name, copy)
  }
  const isOffered = !isLoading && (file?.state === 'remote' || file?.state === 'evicted')
  if (isOffered && file) {
    return (
      <div className="grid size-full place-items-center px-16 text-center text-muted">
        <div className="flex flex-col items-center gap-3">
          <p>{words.notHere}</p>
          {pause === 'offline' ? <p>{photoMessages.loadsLater}</p> : null}
          <Button onPress={() => void load()}>
            {file.size === 0 ? words.loadUnknown : words.load(formatBytes(file.size))}
          </Button>
        </div>
      </div>
    )
  }
  if (url === undefined) return <NotHere id={photo.id} />
  if (failedUrl === url) {
    return (
      <div className="grid size-full place-items-center px-16">
        <Notice
          title={words.unplayable}
          actions={
            <Button size="sm" onPress={() => void save()}>
              {photoMessages.saveCopy}
            </Button>
          }
        >
          {words.unplayableDetail}
        </Notice>
      </div>
    )
  }
  return (
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- what a phone films at a place has no captions; its caption is read below
    <video
      key={url}
      src={url}
      aria-label={name}
      controls
      playsInline
      preload="metadata"
      onError={() => setFailedUrl(url)}
      className="absolute inset-0 size-full object-contain"
    />
  )
}
