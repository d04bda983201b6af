import { useRecords } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Select } from '../../components/select.tsx'
import { shortId } from '../../lib/data/use-record-title.ts'
import { useFindTable } from '../../lib/data/use-tables.tsx'
import { quoteName } from '../../lib/sql.ts'
import { builderMessages } from '../../messages/checklist-builder.ts'
import { selectionMessages as words } from '../../messages/selection.ts'
import type { ChosenChecklist, StartableChecklist } from './start-checklists.ts'

/** Templates offered. */
const TEMPLATES_MAX = 100

interface TemplateRow {
  /** Index in `startable`. */
  readonly of: number
  readonly id: string
  readonly title: string | null
}

/** Asks which published checklist is started for the selected records. */
export function AddToChecklist({
  title,
  startable,
  onClose,
  onSubmit,
}: {
  readonly title: string
  /** Never empty. */
  readonly startable: readonly StartableChecklist[]
  readonly onClose: () => void
  readonly onSubmit: (chosen: ChosenChecklist) => void
}): JSX.Element {
  const findTable = useFindTable()
  const { rows, isLoading } = useRecords<TemplateRow>(
    `${startable.map(templatesSql).join(' union all ')} order by 1, 3 limit ${TEMPLATES_MAX}`,
  )
  const [value, setValue] = useState<string>()
  const chosenRow = rows.find((row) => keyOf(row) === value) ?? rows[0]
  const start = chosenRow && startable[chosenRow.of]
  const many = (table: string): string => findTable(table)?.label ?? table
  return (
    <FormDialog
      title={title}
      submitLabel={words.addToChecklist}
      isPending={false}
      isDisabled={start === undefined}
      onClose={onClose}
      onSubmit={() => {
        if (start && chosenRow) onSubmit({ ...start, template: chosenRow.id, name: nameOf(chosenRow) })
      }}
    >
      {rows.length === 0 ? (
        isLoading ? null : (
          <p>{builderMessages.noneToChooseDetail}</p>
        )
      ) : (
        <Select
          label={words.checklist}
          value={chosenRow ? keyOf(chosenRow) : ''}
          options={rows.map((row) => ({ value: keyOf(row), label: nameOf(row) }))}
          onChange={setValue}
        />
      )}
      {start ? (
        <p className="text-small text-muted">
          {start.place === undefined ? words.onlyWithout : words.makesRecords(many(start.checklist.table))}
        </p>
      ) : null}
    </FormDialog>
  )
}

function templatesSql({ checklist: { templates } }: StartableChecklist, index: number): string {
  const title = templates.title === undefined ? 'id' : quoteName(templates.title)
  const where = templates.active === undefined ? '' : `where coalesce(${quoteName(templates.active)}, 1) <> 0`
  return `select ${index} as "of", id, ${title} as title from ${quoteName(templates.table)} ${where}`
}

function keyOf({ of, id }: TemplateRow): string {
  return `${of} ${id}`
}

function nameOf({ id, title }: TemplateRow): string {
  return title ?? shortId(id)
}
