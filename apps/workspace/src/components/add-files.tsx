import { Camera, Plus, X } from 'lucide-react'
import { type JSX, useCallback, useRef } from 'react'
import { useMediaQuery } from '../hooks/use-media-query.ts'
import { formatBytes } from '../lib/format.ts'
import { fileMessages as words } from '../messages/files.ts'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'

/** Buttons that add files and, on a phone, take a photo. */
export function AddFiles({
  onFiles,
  isDisabled,
  accept,
}: {
  readonly onFiles: (files: readonly File[]) => void
  readonly isDisabled: boolean
  /** As the attribute of inputs. Default: all files. */
  readonly accept?: string | undefined
}): JSX.Element {
  const hasCamera = useMediaQuery('(pointer: coarse)')
  const camera = useRef<HTMLInputElement>(null)
  const picker = useRef<HTMLInputElement>(null)
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
  return (
    <div className="flex flex-wrap gap-2 print:hidden">
      {hasCamera ? (
        <Button
          size="sm"
          isDisabled={isDisabled}
          icon={<Camera size={16} aria-hidden />}
          onPress={() => camera.current?.click()}
        >
          {words.takePhoto}
        </Button>
      ) : null}
      <Button
        size="sm"
        isDisabled={isDisabled}
        icon={<Plus size={16} aria-hidden />}
        onPress={() => picker.current?.click()}
      >
        {words.add}
      </Button>
      <input {...input} ref={camera} accept="image/*" capture="environment" />
      <input {...input} ref={picker} accept={accept} data-testid="field-files" />
    </div>
  )
}

/** Media types of photos. */
export const PHOTOS = /^image\/(?:jpeg|png|webp|gif|heic|heif|avif)$/

/** A file that the user has chosen and that is not added yet. */
export function ChosenFileRow({
  bytes,
  name,
  type,
  onRemove,
}: {
  readonly bytes: Blob
  readonly name: string
  readonly type: string
  readonly onRemove: () => void
}): JSX.Element {
  // The browser keeps the bytes until the address is revoked.
  const show = useCallback(
    (image: HTMLImageElement) => {
      image.src = URL.createObjectURL(bytes)
      return () => URL.revokeObjectURL(image.src)
    },
    [bytes],
  )
  return (
    <li className="flex items-center gap-3 px-3 py-2">
      {PHOTOS.test(type) ? <img ref={show} alt="" className="size-10 rounded-sm object-cover" /> : null}
      <span className="line-clamp-2 min-w-0 flex-1 [overflow-wrap:anywhere]" title={name}>
        {name}
      </span>
      <span className="text-small whitespace-nowrap text-muted">{formatBytes(bytes.size)}</span>
      <IconButton label={words.remove(name)} icon={<X size={16} aria-hidden />} size="sm" onPress={onRemove} />
    </li>
  )
}
