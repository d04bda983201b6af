import { useMemo } from 'react'
import type { FilesOf } from '../photos/use-field-files.ts'
import { usePhotoTable } from '../photos/use-photo-table.ts'
import { checklistMessages as words } from '../../messages/checklist.ts'
import { writeAnswer } from './answer-changes.ts'
import type { Checklist } from './checklist.ts'
import type { Question } from './questions.ts'

/** Returns the files of a question in a record's checklist; `undefined` if the table of the records has no files (`holdfast.prepare_answer_files`). */
export function useFilesOfQuestion(
  checklist: Checklist,
  { recordId, version }: { readonly recordId: string; readonly version: number | undefined },
  question: Question,
): FilesOf | undefined {
  const files = usePhotoTable(checklist.table)
  return useMemo(
    () =>
      files?.isOfFields
        ? {
            files,
            table: checklist.table,
            recordId,
            field: question.id,
            answer: {
              label: words.answerOf(question.prompt),
              write: (tx, names) => writeAnswer(tx, checklist, { recordId, version }, question, names),
            },
          }
        : undefined,
    [files, checklist, recordId, version, question],
  )
}
