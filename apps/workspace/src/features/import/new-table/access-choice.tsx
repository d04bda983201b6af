import type { JSX } from 'react'
import { Disclosure } from '../../../components/disclosure.tsx'
import { RadioGroup } from '../../../components/radio-group.tsx'
import { Select } from '../../../components/select.tsx'
import { SqlPreview } from '../../../components/records/sql-preview.tsx'
import type { Workspace } from '../../../lib/records/use-workspace.ts'
import { newTableMessages as words, newTableRefusals } from '../../../messages/new-table.ts'
import { Part } from './part.tsx'
import { type DraftAccess, type TableDraft, teamFieldsOf } from './table-draft.ts'
import type { MakingTable } from './use-new-table.ts'

/** Chooses who can see the records, and shows the resulting policies. */
export function AccessChoice({
  draft,
  workspace,
  making,
}: {
  readonly draft: TableDraft
  readonly workspace: Workspace
  readonly making: Pick<MakingTable, 'planned' | 'change' | 'call'>
}): JSX.Element {
  const teams = teamFieldsOf(draft)
  const [team] = teams
  const kinds = (['members', 'own', 'team'] as const).filter((kind) => kind !== 'team' || team !== undefined)
  const { access } = draft
  const choose = (next: DraftAccess): void => making.change({ ...draft, access: next })
  return (
    <Part title={words.access}>
      <RadioGroup
        label={words.access}
        isLabelHidden
        options={kinds.map((value) => ({
          value,
          label: words.accessKinds[value],
          description: words.accessDetails[value],
        }))}
        value={access.kind}
        onChange={(kind) =>
          choose(
            kind === 'team' && team !== undefined
              ? { kind, field: team }
              : { kind: kind === 'own' ? 'own' : 'members' },
          )
        }
      />
      {access.kind === 'team' && teams.length > 1 ? (
        <Select
          label={words.teamField}
          options={teams.map((at) => ({ value: String(at), label: draft.fields[at]?.label ?? '' }))}
          value={String(access.field)}
          onChange={(at) => choose({ kind: 'team', field: Number(at) })}
          className="max-w-sm"
        />
      ) : null}
      <p className="text-small text-muted">{words.guests}</p>
      {making.planned ? (
        <Disclosure title={words.rules}>
          {/* While the table is being created, the server can no longer preview it, because its name is taken. */}
          <SqlPreview
            name="new_table_sql"
            args={{ workspace: workspace.id, definition: making.planned.definition }}
            refusals={newTableRefusals}
            isPaused={making.call.isPending}
          />
        </Disclosure>
      ) : null}
    </Part>
  )
}
