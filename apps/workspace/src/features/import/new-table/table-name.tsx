import type { JSX } from 'react'
import { Select } from '../../../components/select.tsx'
import { TextField } from '../../../components/text-field.tsx'
import { newTableMessages as words } from '../../../messages/new-table.ts'
import { Part } from './part.tsx'
import { canBeTitle, isLabel, type TableDraft } from './table-draft.ts'
import type { MakingTable } from './use-new-table.ts'

/** The table's name and its title field. */
export function TableName({
  draft,
  making,
}: {
  readonly draft: TableDraft
  readonly making: Pick<MakingTable, 'planned' | 'change'>
}): JSX.Element {
  const titles = draft.fields.flatMap((field, at) =>
    canBeTitle(field) ? [{ value: String(at), label: field.label }] : [],
  )
  return (
    <Part title={words.table}>
      <div className="grid max-w-3xl grid-cols-1 items-start gap-4 tablet:grid-cols-2">
        <TextField
          label={words.name}
          value={draft.label}
          onChange={(label) => making.change({ ...draft, label })}
          errorMessage={draft.label === '' || isLabel(draft.label) ? undefined : words.labelForm}
          description={making.planned && words.nameOf(making.planned.definition.name)}
        />
        {titles.length === 0 ? (
          <p className="self-center text-body text-muted">{words.noTitle}</p>
        ) : (
          <Select
            label={words.titleField}
            options={titles}
            value={String(draft.title)}
            onChange={(at) => making.change({ ...draft, title: Number(at) })}
          />
        )}
      </div>
    </Part>
  )
}
