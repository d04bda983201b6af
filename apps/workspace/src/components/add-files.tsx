import { Camera, Plus } from 'lucide-react'
import { type JSX, useRef } from 'react'
import { useMediaQuery } from '../hooks/use-media-query.ts'
import { fileMessages as words } from '../messages/files.ts'
import { Button } from './button.tsx'

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
