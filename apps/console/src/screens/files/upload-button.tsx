import { FileUp } from 'lucide-react'
import { type JSX, useRef } from 'react'
import { Button } from '@holdfast/workspace'

/** Lets the operator choose files to upload. */
export function UploadButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          target.value = ''
        }}
      />
      <Button tone="primary" icon={<FileUp size={16} aria-hidden />} onPress={() => input.current?.click()}>
        Upload
      </Button>
    </>
  )
}
