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
import type { StageFiles } from './form-files.tsx'
import { type FilesToAdd, type RecordForm, type SaveOutcome, useForm } from './use-form.ts'

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
  const form = useForm(table, begun, asked, toAdd)
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
    const { problem } = outcome
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
                onStage={(given) => toAdd.register(field.name, given)}
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

interface ChosenFiles extends FilesToAdd {
  choose(field: string, files: readonly File[]): void
  clear(): void
  register(field: string, stage: StageFiles): void
}

/** The files chosen for a form's questions, until the record is created. */
function useChosenFiles(): ChosenFiles {
  const [chosen, setChosen] = useState<Readonly<Record<string, readonly File[]>>>({})
  const stages = useRef(new Map<string, StageFiles>())
  return {
    of: (field) => chosen[field] ?? [],
    choose: (field, files) => setChosen((before) => ({ ...before, [field]: files })),
    clear: () => setChosen({}),
    register: (field, stage) => void stages.current.set(field, stage),
    async stage() {
      const staged: (Awaited<ReturnType<StageFiles>> & { readonly field: string })[] = []
      const discard = async (): Promise<void> => {
        for (const one of staged) await one.discard()
      }
      try {
        for (const [field, files] of Object.entries(chosen)) {
          // oxlint-disable-next-line no-await-in-loop -- a phone has no memory for many decoded images
          const one = files.length > 0 ? await stages.current.get(field)?.(files) : undefined
          if (one) staged.push({ ...one, field })
        }
      } catch (cause) {
        await discard()
        const isFull = cause instanceof DeviceFull
        showToast({ text: isFull ? addPhotosMessages.full : addPhotosMessages.failed(errorMessage(cause)) })
        return undefined
      }
      const problems = staged.flatMap(({ problem }) => problem ?? [])
      return {
        values: Object.fromEntries(staged.map(({ field, names }) => [field, names])),
        problem: problems.length > 0 ? problems.join(' ') : undefined,
        discard,
        async write(tx, record) {
          for (const one of staged) await one.write(tx, record)
        },
        added: () =>
          setChosen((now) =>
            Object.fromEntries(
              Object.entries(now).map(([field, files]) => [
                field,
                files.filter((one) => !chosen[field]?.includes(one)),
              ]),
            ),
          ),
      }
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
