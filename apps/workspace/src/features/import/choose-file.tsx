import { FileUp } from 'lucide-react'
import type { JSX } from 'react'
import { DropZone } from 'react-aria-components/DropZone'
import { FileTrigger } from 'react-aria-components/FileTrigger'
import { Button } from '../../components/button.tsx'
import { importMessages as words } from '../../messages/import.ts'
import { PastImportList } from './past-import-list.tsx'

/** Types offered by file dialogs. The content of any chosen file is checked. */
const TYPES = ['.csv', '.tsv', '.txt', '.xlsx']

/** Accepts a file from the browser's dialog or by dropping. */
export function ChooseFile({
  onFile,
  problem,
}: {
  readonly onFile: (file: File) => void
  readonly problem: string | undefined
}): JSX.Element {
  return (
    <div className="flex flex-col gap-6">
      <DropZone
        aria-label={words.chooseFile}
        onDrop={({ items }) => {
          const [item] = items.filter(({ kind }) => kind === 'file')
          if (item?.kind === 'file') void item.getFile().then(onFile)
        }}
        className="flex flex-col items-center gap-3 rounded-lg border border-dashed border-control px-4 py-12 text-center data-drop-target:border-accent data-drop-target:bg-accent-soft"
      >
        <FileUp size={28} aria-hidden className="text-muted" />
        <FileTrigger
          acceptedFileTypes={TYPES}
          onSelect={(files) => {
            const file = files?.item(0)
            if (file) onFile(file)
          }}
        >
          <Button tone="primary">{words.chooseFile}</Button>
        </FileTrigger>
        <p className="text-small text-muted">{words.dropHere}</p>
      </DropZone>
      {problem === undefined ? null : (
        <p role="alert" className="text-body text-danger">
          {problem}
        </p>
      )}
      <PastImportList />
    </div>
  )
}
