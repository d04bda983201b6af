import { errorMessage } from '@holdfast/protocol'
import { DeviceFull } from '@holdfast/client'
import { type JSX, useId, useState } from 'react'
import { AddFiles } from '../../../components/add-files.tsx'
import { fieldLabelClass } from '../../../components/text-field.tsx'
import { VisuallyHidden } from '../../../components/visually-hidden.tsx'
import type { Field } from '../../../lib/fields/field.ts'
import { isVideo } from '../../../lib/is-video.ts'
import { notAdded } from '../../../lib/photos/not-added.ts'
import {
  FILE_BYTES_MAX,
  FILES_MAX,
  type FieldFile,
  type FieldFileEdits,
  type FilesOf,
  useFieldFileEdits,
  useFieldFiles,
} from '../../../lib/photos/use-field-files.ts'
import { usePhotoTable } from '../../../lib/photos/use-photo-table.ts'
import { fileMessages as words } from '../../../messages/files.ts'
import { addPhotosMessages } from '../../../messages/add-photos.ts'
import { PhotoGrid } from '../photo-grid.tsx'
import { FileRow } from './file-row.tsx'
import { SignatureField } from './signature-field.tsx'

interface FilesFieldProps {
  readonly field: Field
  /** Omitted for a draft, which has no files yet. */
  readonly record: { readonly table: string; readonly id: string } | undefined
  /** Why it cannot be changed. */
  readonly note: string | undefined
  readonly canEdit: boolean
}

/** A field with photos and files, or with a signature. */
export function FilesField({ field, record, note, canEdit }: FilesFieldProps): JSX.Element {
  const files = usePhotoTable(record?.table)
  const label = useId()
  const Content = field.format?.format.kind === 'signature' ? SignatureField : Files
  return (
    <section data-field={field.name} aria-labelledby={label} className="flex min-w-0 flex-col gap-1.5">
      <h4 id={label} className={fieldLabelClass}>
        {field.label}
      </h4>
      {record === undefined ? (
        <p className="text-small text-muted">{words.afterCreate}</p>
      ) : files?.isOfFields ? (
        <Content
          of={{ files, table: record.table, recordId: record.id, field: field.name }}
          label={field.label}
          canEdit={canEdit && note === undefined}
        />
      ) : (
        <p className="text-small text-muted">{words.notReady}</p>
      )}
      {note === undefined ? null : <p className="text-small text-muted">{note}</p>}
    </section>
  )
}

/** Pictures as tiles, other files as a list. */
function Files({ of, canEdit }: { readonly of: FilesOf; readonly canEdit: boolean }): JSX.Element | null {
  const files = useFieldFiles(of)
  const edits = useFieldFileEdits(of)
  const adding = useAdding(edits, files?.length ?? 0)
  if (!files) return null
  const isPicture = ({ media_type }: FieldFile): boolean =>
    isVideo(media_type) || /^image\/(?!svg|tiff|vnd)/.test(media_type ?? '')
  const others = files.filter((file) => !isPicture(file))
  return (
    <>
      {files.length === 0 && !canEdit ? <p className="text-body text-subtle">{words.none}</p> : null}
      <PhotoGrid
        table={of.files}
        photos={files.filter(isPicture)}
        edits={edits}
        mayChange={canEdit}
        isAdding={adding.count > 0}
      />
      {others.length === 0 ? null : (
        <ul className="flex flex-col divide-y divide-border rounded-md border border-border">
          {others.map((file) => (
            <FileRow key={file.id} file={file} onRemove={canEdit ? () => edits.remove(file.id) : undefined} />
          ))}
        </ul>
      )}
      {canEdit ? <AddFiles onFiles={adding.add} isDisabled={adding.count > 0} /> : null}
      {adding.problem === undefined ? null : (
        <p role="alert" className="text-small text-danger">
          {adding.problem}
        </p>
      )}
      <VisuallyHidden>
        <span role="status">{adding.count > 0 ? words.adding(adding.count) : adding.done}</span>
      </VisuallyHidden>
    </>
  )
}

interface Adding {
  /** Number of files being prepared. */
  readonly count: number
  readonly problem: string | undefined
  /** Screen reader announcement when they are added. */
  readonly done: string
  readonly add: (files: readonly File[]) => void
}

function useAdding(edits: FieldFileEdits, there: number): Adding {
  const [count, setCount] = useState(0)
  const [problem, setProblem] = useState<string>()
  const [done, setDone] = useState('')
  const run = async (files: readonly File[]): Promise<void> => {
    setCount(files.length)
    setProblem(undefined)
    try {
      const { added, refused, tooLarge } = await edits.add(files)
      const problems = [
        ...(refused.length > 0 ? [notAdded(refused, new Set())] : []),
        ...(tooLarge.length > 0 ? [words.tooLarge(tooLarge, FILE_BYTES_MAX)] : []),
      ]
      if (problems.length > 0) setProblem(problems.join(' '))
      if (added.length > 0) setDone(words.added(added.length))
    } catch (cause) {
      setProblem(cause instanceof DeviceFull ? addPhotosMessages.full : addPhotosMessages.failed(errorMessage(cause)))
    } finally {
      setCount(0)
    }
  }
  return {
    count,
    problem,
    done,
    add(files) {
      if (files.length === 0) return
      if (there + files.length > FILES_MAX) setProblem(words.tooMany(FILES_MAX))
      else void run(files)
    },
  }
}
