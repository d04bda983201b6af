import { Camera, ImagePlus, Video } from 'lucide-react'
import { type JSX, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { useMediaQuery } from '../../hooks/use-media-query.ts'
import { addPhotosMessages as words } from '../../messages/add-photos.ts'
import { videoMessages } from '../../messages/videos.ts'

/**
 * Buttons to add photos. A phone has separate buttons for the cameras and existing files; other devices have one.
 *
 * @param videoTypes - accepted media types of videos
 */
export function PhotoAddButtons({
  videoTypes,
  onFiles,
  isDisabled,
}: {
  readonly videoTypes: ReadonlySet<string>
  readonly onFiles: (files: readonly File[]) => void
  readonly isDisabled: boolean
}): JSX.Element {
  const hasCamera = useMediaQuery('(pointer: coarse)')
  const camera = useRef<HTMLInputElement>(null)
  const filmCamera = useRef<HTMLInputElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const takesVideos = videoTypes.size > 0
  const input = {
    type: 'file',
    multiple: true,
    tabIndex: -1,
    hidden: true,
    onChange({ target }: { readonly target: HTMLInputElement }) {
      onFiles([...(target.files ?? [])])
      target.value = '' // the same file may be chosen again
    },
  } as const
  const shared = { size: 'sm', isDisabled } as const
  const choose = (
    <Button {...shared} icon={<ImagePlus size={16} aria-hidden />} onPress={() => picker.current?.click()}>
      {takesVideos ? (hasCamera ? videoMessages.choose : videoMessages.add) : hasCamera ? words.choose : words.add}
    </Button>
  )
  return (
    <>
      {/* Beside the title; on a narrow phone the two camera buttons move to the next line. */}
      {takesVideos ? choose : null}
      {hasCamera ? (
        <Button {...shared} icon={<Camera size={16} aria-hidden />} onPress={() => camera.current?.click()}>
          {words.take}
        </Button>
      ) : null}
      {hasCamera && takesVideos ? (
        <Button {...shared} icon={<Video size={16} aria-hidden />} onPress={() => filmCamera.current?.click()}>
          {videoMessages.take}
        </Button>
      ) : null}
      {takesVideos ? null : choose}
      <input {...input} ref={camera} accept="image/*" capture="environment" />
      {takesVideos ? <input {...input} ref={filmCamera} accept="video/*" capture="environment" /> : null}
      <input {...input} ref={picker} accept={['image/*', ...videoTypes].join(',')} data-testid="photo-files" />
    </>
  )
}
