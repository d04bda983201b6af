import { type JSX, useMemo } from 'react'
import { answerText } from '../../../lib/checklists/answer-text.ts'
import type { Checklist } from '../../../lib/checklists/checklist.ts'
import { useChecklistRows } from '../../../lib/checklists/use-checklist-rows.ts'
import { usePhotoTable } from '../../../lib/photos/use-photo-table.ts'
import { printMessages as words } from '../../../messages/print.ts'
import { type OwnedPhoto, type PhotoState, PrintPhotos, usePhotosOf } from './print-photos.tsx'

/** The questions of a record's checklist by section, each with its answer, photos and findings. */
export function PrintAnswers({
  checklist,
  recordId,
  files,
  onState,
}: {
  readonly checklist: Checklist
  readonly recordId: string
  /** Files of the record, some of which belong to questions. */
  readonly files: readonly OwnedPhoto[]
  readonly onState: (id: string, state: PhotoState) => void
}): JSX.Element | null {
  const rows = useChecklistRows(checklist, recordId)
  const photos = usePhotoTable()
  const ids = useMemo(() => [...(rows?.answers.values() ?? [])].map(({ id }) => id), [rows])
  const ofAnswers = usePhotosOf(photos, photos?.links.get(checklist.answers.table), ids) ?? NONE
  const found = useMemo(() => [...(rows?.findings.values() ?? [])].flat().map(({ id }) => id), [rows])
  const ofFindings =
    usePhotosOf(photos, checklist.findings && photos?.links.get(checklist.findings.table), found) ?? NONE
  if (!rows) return null
  const sections = [...Map.groupBy(rows.questions, ({ section }) => section)]
  return (
    <>
      {sections.map(([section, questions]) => (
        <section key={section ?? ''} className="pt-6">
          <h2 className="pb-1 text-heading break-after-avoid">{section ?? rows.title}</h2>
          <dl>
            {questions.map((question) => {
              const answer = rows.answers.get(question.id)
              const pictures = [
                ...files.filter(({ field }) => field === question.id),
                ...ofAnswers.filter(({ owner }) => owner === answer?.id),
              ]
              const findings = (answer && rows.findings.get(answer.id)) ?? []
              return (
                <div
                  key={question.id}
                  className="grid grid-cols-[3fr_2fr] gap-x-6 border-b border-border py-1.5 break-inside-avoid"
                >
                  <dt>{question.prompt}</dt>
                  <dd className="font-medium [overflow-wrap:anywhere]">
                    {answerText(question, answer, pictures.length > 0)}
                    {findings.map(({ id, title }) => (
                      <span key={id} className="block text-small font-regular text-danger">
                        {words.finding(title)}
                      </span>
                    ))}
                  </dd>
                  <dd className="col-span-full">
                    <PrintPhotos
                      photos={[
                        ...pictures,
                        ...ofFindings.filter(({ owner }) => findings.some(({ id }) => id === owner)),
                      ]}
                      onState={onState}
                    />
                  </dd>
                </div>
              )
            })}
          </dl>
        </section>
      ))}
    </>
  )
}

const NONE: readonly OwnedPhoto[] = []
