import { type JSX, useEffect, useId, useState } from 'react'
import { AddFiles, ChosenFileRow } from '../../../components/add-files.tsx'
import { fieldLabelClass } from '../../../components/text-field.tsx'
import type { PhotoTable } from '../../../lib/data/photo-table.ts'
import { notAdded } from '../../../lib/photos/not-added.ts'
import { FILE_BYTES_MAX, FILES_MAX, type StagedFiles, useFieldFileEdits } from '../../../lib/photos/use-field-files.ts'
import { fieldMessages } from '../../../messages/fields.ts'
import { fileMessages as words } from '../../../messages/files.ts'
import { SignHere } from '../files/sign-here.tsx'
import type { AskedField } from './asked-fields.ts'

/**
 * Stores chosen files for a record that is created with them.
 *
 * @returns them, and why some cannot be added
 * @throws if the device is full
 */
export type StageFiles = (
  chosen: readonly File[],
) => Promise<Pick<StagedFiles, 'names' | 'write' | 'discard'> & { readonly problem: string | undefined }>

/** A question for files or a signature. They are kept in memory until the record is created. */
export function FormFiles({
  asked: { field, isRequired },
  table,
  files,
  draftId,
  chosen,
  isMissing,
  onChange,
  onStage,
}: {
  readonly asked: AskedField
  readonly table: string
  readonly files: PhotoTable
  readonly draftId: string
  readonly chosen: readonly File[]
  readonly isMissing: boolean
  readonly onChange: (chosen: readonly File[]) => void
  /** Receives what stores the files, after each render. */
  readonly onStage: (stage: StageFiles) => void
}): JSX.Element {
  const [labelId, hintId] = [useId(), useId()]
  const [isTooMany, setTooMany] = useState(false)
  const edits = useFieldFileEdits({ files, table, recordId: draftId, field: field.name })
  const isSignature = field.format?.format.kind === 'signature'
  useEffect(() =>
    onStage(async (given) => {
      const staged = await edits.stage(given, isSignature ? 'signature' : 'files')
      const { refused, tooLarge } = staged
      const problems = [
        ...(refused.length > 0 ? [notAdded(refused, new Set())] : []),
        ...(tooLarge.length > 0 ? [words.tooLarge(tooLarge, FILE_BYTES_MAX)] : []),
      ]
      return { ...staged, problem: problems.length > 0 ? problems.join(' ') : undefined }
    }),
  )
  const add = (given: readonly File[]): void => {
    const all = [...chosen, ...given]
    setTooMany(all.length > FILES_MAX)
    if (all.length <= FILES_MAX) onChange(all)
  }
  const problem = isTooMany ? words.tooMany(FILES_MAX) : isMissing ? fieldMessages.required(field.label) : undefined
  return (
    <section aria-labelledby={labelId} aria-describedby={hintId} className="flex min-w-0 flex-col gap-1.5">
      <h3 id={labelId} className={fieldLabelClass}>
        {isRequired ? `${field.label} (${fieldMessages.requiredMark})` : field.label}
      </h3>
      {chosen.length === 0 ? null : (
        <ul className="flex flex-col divide-y divide-border rounded-md border border-border">
          {chosen.map((file) => (
            <ChosenFileRow
              key={`${file.name} ${String(file.lastModified)} ${String(file.size)}`}
              bytes={file}
              name={file.name}
              type={file.type}
              onRemove={() => onChange(chosen.filter((one) => one !== file))}
            />
          ))}
        </ul>
      )}
      {isSignature ? (
        <SignHere isSigned={chosen.length > 0} onSign={(image) => onChange([image])} />
      ) : (
        <AddFiles onFiles={add} isDisabled={false} />
      )}
      <p id={hintId} className="text-small text-muted">
        {[field.help, words.untilSaved].filter(Boolean).join(' ')}
      </p>
      {problem === undefined ? null : (
        <p role="alert" className="text-small text-danger">
          {problem}
        </p>
      )}
    </section>
  )
}
