import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { importMessages as words } from '../../messages/import.ts'
import type { ParsedFile } from './parse-file.ts'

/** The current file, with a button to choose another. */
export function FileHead({ file, onOther }: { readonly file: ParsedFile; readonly onOther: () => void }): JSX.Element {
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-body font-medium [overflow-wrap:anywhere]">
          {words.file(file.name, file.rows.length, file.header.length)}
        </p>
        <Button size="sm" onPress={onOther}>
          {words.otherFile}
        </Button>
      </div>
      {file.hasOpenQuote ? <Notice tone="warning" title={words.openQuote} /> : null}
    </>
  )
}
