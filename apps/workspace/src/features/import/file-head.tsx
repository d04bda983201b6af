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
      <Notes notes={file.notes} />
    </>
  )
}

/** What the rows on screen do not show. */
function Notes({ notes }: { readonly notes: ParsedFile['notes'] }): JSX.Element | null {
  const { hasOpenQuote, brokenRow, errors, unsaved, mergedCells, hiddenRows, hiddenColumns } = notes
  const warnings = [
    ...(hasOpenQuote ? [words.openQuote] : []),
    ...(brokenRow === undefined ? [] : [words.brokenText(brokenRow)]),
    ...(unsaved > 0 ? [words.unsavedFormulas(unsaved)] : []),
    ...(errors > 0 ? [words.errorCells(errors)] : []),
    ...(mergedCells > 0 ? [words.mergedCells(mergedCells)] : []),
    ...(hiddenRows > 0 ? [words.hiddenRows(hiddenRows)] : []),
    ...(hiddenColumns > 0 ? [words.hiddenColumns(hiddenColumns)] : []),
  ]
  const [first, ...others] = warnings
  if (first === undefined) return null
  return (
    <Notice tone="warning" title={first}>
      {others.length === 0 ? null : others.map((text) => <p key={text}>{text}</p>)}
    </Notice>
  )
}
