import { ChevronLeft } from 'lucide-react'
import { type JSX, useEffect, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { inputClass } from '../../../components/text-field.tsx'
import type { ChecklistFindings } from '../../../lib/checklists/checklist.ts'
import type { Question } from '../../../lib/checklists/questions.ts'
import type { FindingDraft } from '../../../lib/checklists/run-draft.ts'
import { cx } from '../../../lib/cx.ts'
import type { PhotoTable } from '../../../lib/data/photo-table.ts'
import { usePhotoEdits, usePhotos } from '../../../lib/photos/use-photos.ts'
import { choiceWords } from '../../../lib/fields/format-value.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'
import { BigChoices } from './big-choices.tsx'
import { OwnPosition } from './own-position.tsx'
import { PhotoTaker } from './photo-taker.tsx'

const TITLE_MAX = 200

/** Records a finding for an answer: the photo first, then severity and description. */
export function FindingForm({
  question,
  findings,
  finding,
  recordId,
  photos,
  photoLink,
  titleDefault,
  onChange,
  onSave,
  onBack,
  onDiscard,
}: {
  readonly question: Question
  readonly findings: ChecklistFindings
  readonly finding: FindingDraft
  readonly recordId: string
  readonly photos: PhotoTable | undefined
  /** Column that links photos to the record until the finding exists; `undefined`: photos are not possible. */
  readonly photoLink: string | undefined
  readonly titleDefault: string
  readonly onChange: (change: (finding: FindingDraft) => FindingDraft) => void
  readonly onSave: () => void
  readonly onBack: () => void
  readonly onDiscard: () => void
}): JSX.Element {
  // The finding is saved only after its photo is ready.
  const [isTaking, setTaking] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  // The button that opened the form is gone.
  useEffect(() => heading.current?.focus(), [])
  return (
    <section aria-labelledby="finding-title" className="flex flex-1 flex-col">
      <div className="flex flex-1 flex-col gap-5 px-4 py-4">
        <div>
          <h2 ref={heading} id="finding-title" tabIndex={-1} className="text-title outline-none">
            {words.finding}
          </h2>
          <p className="text-body text-muted">{question.prompt}</p>
        </div>
        {photos && photoLink !== undefined ? (
          <FindingPhotos
            {...{ recordId, finding }}
            table={photos}
            link={photoLink}
            onTaken={(ids) => onChange((now) => ({ ...now, photos: [...now.photos, ...ids] }))}
            onBusy={setTaking}
          />
        ) : null}
        {findings.severity ? (
          <BigChoices
            label={words.severity}
            value={finding.severity ?? null}
            options={optionsOf(findings.severity)}
            onChange={(severity) => onChange((now) => ({ ...now, severity }))}
          />
        ) : null}
        <WhatIsWrong {...{ finding, titleDefault }} onChange={(title) => onChange((now) => ({ ...now, title }))} />
        {findings.position ? (
          <OwnPosition position={finding.position} onChange={(position) => onChange((now) => ({ ...now, position }))} />
        ) : null}
        <Button tone="quiet" className="h-14 self-start text-danger" onPress={onDiscard}>
          {words.discardFinding}
        </Button>
      </div>
      <footer className="sticky bottom-0 flex gap-2 border-t border-border bg-bg px-4 py-3">
        <Button className="h-14 px-5" icon={<ChevronLeft size={20} aria-hidden />} onPress={onBack}>
          {words.back}
        </Button>
        <Button tone="primary" className="h-14 flex-1 text-heading" isPending={isTaking} onPress={onSave}>
          {words.saveFinding}
        </Button>
      </footer>
    </section>
  )
}

/** Photos of a finding. They belong to the record until the finding exists. */
function FindingPhotos({
  table,
  link,
  recordId,
  finding,
  onTaken,
  onBusy,
}: {
  readonly table: PhotoTable
  readonly link: string
  readonly recordId: string
  readonly finding: FindingDraft
  readonly onTaken: (ids: readonly string[]) => void
  readonly onBusy: (isBusy: boolean) => void
}): JSX.Element {
  const photos = usePhotos(table, link, recordId).filter(({ id }) => finding.photos.includes(id))
  const edits = usePhotoEdits(table, link, recordId)
  return <PhotoTaker {...{ table, photos, edits, onTaken, onBusy }} />
}

function WhatIsWrong({
  finding,
  titleDefault,
  onChange,
}: {
  readonly finding: FindingDraft
  readonly titleDefault: string
  readonly onChange: (title: string) => void
}): JSX.Element {
  return (
    <div className="flex flex-col gap-2">
      <label htmlFor="finding-words" className="text-body font-medium">
        {words.whatIsWrong}
      </label>
      <textarea
        id="finding-words"
        rows={2}
        maxLength={TITLE_MAX}
        aria-describedby="finding-default"
        value={finding.title}
        onChange={({ target }) => onChange(target.value.replaceAll('\n', ' '))}
        className={cx(inputClass, 'min-h-18 resize-none py-3')}
      />
      <p id="finding-default" className="text-small text-muted">
        {words.titleDefault(titleDefault)}
      </p>
    </div>
  )
}

function optionsOf({
  choices,
  words: given,
}: NonNullable<ChecklistFindings['severity']>): readonly { readonly value: string; readonly label: string }[] {
  return choices.map((choice) => ({ value: choice, label: choiceWords(choice, given) }))
}
