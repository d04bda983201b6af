import { DeviceFull } from '@holdfast/client'
import { errorMessage } from '@holdfast/protocol'
import { type JSX, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { lateContent } from '../../../components/late-content.tsx'
import { showToast } from '../../../components/toast.tsx'
import type { TableInfo } from '../../../lib/data/tables.ts'
import type { PhotoTable } from '../../../lib/data/photo-table.ts'
import { type Field, isOfFiles } from '../../../lib/fields/field.ts'
import { type Draft, missingFields } from '../../../lib/records/drafts.ts'
import { addPhotosMessages } from '../../../messages/add-photos.ts'
import { fieldMessages } from '../../../messages/fields.ts'
import { formMessages as words } from '../../../messages/form.ts'
import { FieldInput } from '../field-input.tsx'
import { useLinkLabels } from '../use-link-labels.ts'
import type { AskedField } from './asked-fields.ts'
import type { AttachFiles } from './form-files.tsx'
import { type RecordForm, type SaveOutcome, useForm } from './use-form.ts'

/** Loaded for forms that ask for files. */
const { Content: FormFiles } = lateContent(async () => (await import('./form-files.tsx')).FormFiles)

/** A form's questions in one column, with the save button. */
export function FormFields({
  table,
  fields,
  asked,
  files,
  begun,
  onOpenRecord,
}: {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly asked: readonly AskedField[]
  /** The table with the files of the records; `undefined`: the form asks for none. */
  readonly files: PhotoTable | undefined
  readonly begun: Draft
  readonly onOpenRecord: (id: string) => void
}): JSX.Element {
  const toAdd = useChosenFiles()
  const form = useForm(table, begun, asked, (field) => toAdd.of(field).length > 0)
  const { values } = form.draft
  const labels = useLinkLabels(
    asked.map(({ field }) => ({ field, from: null, to: values[field.name] ?? null, isOmitted: false })),
  )
  const body = useRef<HTMLDivElement>(null)
  const [count, setCount] = useState(0)
  const focus = (name: string | undefined): void => focusField(body.current, name)
  const save = async (then: (saved: SaveOutcome & { readonly kind: 'saved' }) => void): Promise<void> => {
    const outcome = await form.save()
    if (outcome.kind === 'missing') {
      focus(outcome.fields[0]?.field.name)
      requestAnimationFrame(() => keepPlaces(body.current))
    }
    if (outcome.kind !== 'saved') return
    setCount(count + 1)
    const problem = await toAdd.attach(outcome.id)
    showToast({ text: problem ?? words.saved(table.noun) })
    // The user adds files there again.
    if (problem === undefined) then(outcome)
    else onOpenRecord(outcome.id)
  }
  return (
    <div className="flex flex-col gap-5">
      {/* The key gives each record fresh inputs, so that nothing typed for the previous one remains. */}
      <div ref={body} key={form.draft.id} className="flex flex-col gap-5">
        {asked.map(({ item, field, isRequired }) => (
          <div key={field.name} data-field={field.name}>
            {files && isOfFiles(field.format) ? (
              <FormFiles
                asked={{ item, field, isRequired }}
                table={table.name}
                files={files}
                draftId={form.draft.id}
                chosen={toAdd.of(field.name)}
                isMissing={isMissing(form, field)}
                onChange={(next) => toAdd.choose(field.name, next)}
                onAttach={(given) => toAdd.register(field.name, given)}
              />
            ) : (
              <FieldInput
                {...{ field, isRequired }}
                value={values[field.name] ?? null}
                label={labels.get(`${field.name}/${values[field.name]}`)}
                note={undefined}
                problem={isMissing(form, field) ? fieldMessages.required(field.label) : undefined}
                onCommit={(value) => form.commit(field, value)}
                onOpenLink={undefined}
              />
            )}
          </div>
        ))}
      </div>
      <Notes {...{ form, fields, asked }} />
      <Actions
        isRefused={form.refusal !== undefined}
        count={count}
        onSaveNext={() => void save(() => requestAnimationFrame(() => focus(asked[0]?.field.name)))}
        onSaveOpen={() => void save(({ id }) => onOpenRecord(id))}
        onClear={() => void form.clear().then(toAdd.clear)}
      />
    </div>
  )
}

function focusField(body: HTMLElement | null, name: string | undefined): void {
  body
    ?.querySelector<HTMLElement>(`[data-field="${CSS.escape(name ?? '')}"] :is(input:not([hidden]), textarea, button)`)
    ?.focus()
}

function isMissing({ missing }: RecordForm, { name }: Field): boolean {
  return missing.some(({ field }) => field.name === name)
}

interface ChosenFiles {
  of(field: string): readonly File[]
  choose(field: string, files: readonly File[]): void
  clear(): void
  register(field: string, attach: AttachFiles): void
  /** Adds them to the created record. @returns why some were not added */
  attach(record: string): Promise<string | undefined>
}

/** The files chosen for a form's questions, until the record is created. */
function useChosenFiles(): ChosenFiles {
  const [chosen, setChosen] = useState<Readonly<Record<string, readonly File[]>>>({})
  const attach = useRef(new Map<string, AttachFiles>())
  return {
    of: (field) => chosen[field] ?? [],
    choose: (field, files) => setChosen((before) => ({ ...before, [field]: files })),
    clear: () => setChosen({}),
    register: (field, given) => void attach.current.set(field, given),
    async attach(record) {
      setChosen({})
      const problems: string[] = []
      try {
        for (const [field, files] of Object.entries(chosen)) {
          // oxlint-disable-next-line no-await-in-loop -- a phone has no memory for many decoded images
          const problem = files.length > 0 ? await attach.current.get(field)?.(record, files) : undefined
          if (problem !== undefined) problems.push(problem)
        }
      } catch (cause) {
        problems.push(
          cause instanceof DeviceFull ? addPhotosMessages.full : addPhotosMessages.failed(errorMessage(cause)),
        )
      }
      return problems.length > 0 ? problems.join(' ') : undefined
    },
  }
}

/** Keeps the height of a question whose problem disappears, so that the next one does not move away from the finger pressing it. */
function keepPlaces(body: HTMLElement | null): void {
  const questions = [...(body?.querySelectorAll<HTMLElement>('[data-field]') ?? [])]
  const heights = questions.map(({ offsetHeight }) => offsetHeight)
  for (const [index, { style }] of questions.entries()) style.minHeight = `${heights[index] ?? 0}px`
}

/** Explains why the record was not created, or would be refused. */
function Notes({
  form,
  fields,
  asked,
}: {
  readonly form: RecordForm
  readonly fields: readonly Field[]
  readonly asked: readonly AskedField[]
}): JSX.Element {
  const left = missingFields(fields, form.draft.values)
  const notAsked = left.filter(({ name }) => asked.every(({ field }) => field.name !== name))
  return (
    <>
      {form.missing.length > 0 ? (
        <p role="alert" className="text-small text-danger">
          {words.missing(form.missing.map(({ field }) => field.label).join(', '))}
        </p>
      ) : null}
      {notAsked.length > 0 ? (
        <p className="text-small text-warning">{words.notAsked(notAsked.map(({ label }) => label).join(', '))}</p>
      ) : null}
      {form.refusal === undefined ? null : (
        <p role="status" className="text-small text-danger">
          {form.refusal}
        </p>
      )}
    </>
  )
}

function Actions({
  isRefused,
  count,
  onSaveNext,
  onSaveOpen,
  onClear,
}: {
  readonly isRefused: boolean
  /** Records saved since the form was opened. */
  readonly count: number
  readonly onSaveNext: () => void
  readonly onSaveOpen: () => void
  readonly onClear: () => void
}): JSX.Element {
  return (
    <div className="flex flex-col gap-2">
      <Button tone="primary" isFullWidth className="h-12" isDisabled={isRefused} onPress={onSaveNext}>
        {words.saveNext}
      </Button>
      <div className="flex flex-wrap gap-2">
        <Button className="flex-1" isDisabled={isRefused} onPress={onSaveOpen}>
          {words.saveOpen}
        </Button>
        <Button tone="quiet" className="flex-1" onPress={onClear}>
          {words.clear}
        </Button>
      </div>
      <p role="status" className="text-small text-muted">
        {count > 0 ? words.savedCount(count) : words.draftKept}
      </p>
    </div>
  )
}
