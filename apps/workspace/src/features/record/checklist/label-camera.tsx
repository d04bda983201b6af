import { type JSX, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Notice } from '../../../components/notice.tsx'
import { checklistMessages as words } from '../../../messages/checklist.ts'
import { scanInto } from './scan.ts'

/** The camera's picture until a label is read. */
export function LabelCamera({
  onRead,
  onClose,
}: {
  readonly onRead: (text: string) => void
  readonly onClose: () => void
}): JSX.Element {
  const video = useRef<HTMLVideoElement>(null)
  const [isDenied, setDenied] = useState(false)
  const read = useEffectEvent(onRead)
  // The camera is outside of React.
  useEffect(() => {
    let isOver = false
    let stop: (() => void) | undefined
    if (video.current) {
      scanInto(video.current, (text) => isOver || read(text)).then(
        (end) => {
          stop = end
          if (isOver) end()
        },
        (error: unknown) => {
          console.info('The camera could not be opened.', error)
          if (!isOver) setDenied(true)
        },
      )
    }
    return () => {
      isOver = true
      stop?.()
    }
  }, [])
  return (
    <div className="flex flex-col gap-2">
      {isDenied ? (
        <Notice tone="warning" role="alert" title={words.noCamera} />
      ) : (
        <video
          ref={video}
          muted
          playsInline
          aria-label={words.scanning}
          className="aspect-square w-full rounded-lg bg-sunken object-cover"
        />
      )}
      <Button className="h-14" onPress={onClose}>
        {words.stopScanning}
      </Button>
    </div>
  )
}
