import type { JSX } from 'react'
import { Notice } from '../../../components/notice.tsx'
import type { Checklist } from '../../../lib/checklists/checklist.ts'
import type { Question } from '../../../lib/checklists/questions.ts'
import { useFilesOfQuestion } from '../../../lib/checklists/use-files-of-question.ts'
import type { PhotoTable } from '../../../lib/data/photo-table.ts'
import { FILES_MAX, type FilesOf, useFieldFileEdits, useFieldFiles } from '../../../lib/photos/use-field-files.ts'
import { usePhotoTable } from '../../../lib/photos/use-photo-table.ts'
import { usePhotoEdits, usePhotos } from '../../../lib/photos/use-photos.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'
import { SignatureField } from '../files/signature-field.tsx'
import { PhotoTaker } from './photo-taker.tsx'

interface FileAnswerProps {
  readonly checklist: Checklist
  readonly recordId: string
  /** Version of the template with which the record was begun. */
  readonly version: number | undefined
  readonly question: Question
  readonly isReadOnly: boolean
  /** Called for a photo in the project's photo table, which is not an answer yet. */
  readonly onTaken?: () => void
}

/** Photos or a signature as the answer. They are saved with the answer as soon as they are made. */
export function FileAnswer(props: FileAnswerProps): JSX.Element {
  const { checklist, recordId, version, question, isReadOnly } = props
  const of = useFilesOfQuestion(checklist, { recordId, version }, question)
  const photos = usePhotoTable()
  const link = photos?.links.get(checklist.table)
  if (of && question.kind === 'photo') return <PhotosOfQuestion {...{ of, isReadOnly }} />
  if (of) return <SignatureField of={of} label={question.prompt} canEdit={!isReadOnly} isLarge />
  if (question.kind === 'photo' && photos && link !== undefined)
    return <PhotosOfProject {...props} {...{ photos, link }} />
  return <Notice tone="warning" title={question.kind === 'photo' ? words.noPhotos : words.noSignatures} />
}

function PhotosOfQuestion({ of, isReadOnly }: { readonly of: FilesOf; readonly isReadOnly: boolean }): JSX.Element {
  const photos = useFieldFiles(of) ?? []
  const edits = useFieldFileEdits(of)
  return <PhotoTaker table={of.files} {...{ photos, edits, isReadOnly }} isFull={photos.length >= FILES_MAX} />
}

/** A photo in the photo table of the project. It belongs to the record, with the question as its caption. */
function PhotosOfProject({
  photos: table,
  link,
  recordId,
  question,
  isReadOnly,
  onTaken,
}: FileAnswerProps & { readonly photos: PhotoTable; readonly link: string }): JSX.Element {
  const all = usePhotos(table, link, recordId)
  const edits = usePhotoEdits(table, link, recordId)
  const hasCaptions = table.has.has('caption')
  const photos = all.filter(({ caption }) => !hasCaptions || caption === question.prompt)
  return (
    <PhotoTaker {...{ table, photos, edits, isReadOnly }} caption={question.prompt} {...(onTaken && { onTaken })} />
  )
}
