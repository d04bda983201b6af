import { type JSX, useEffect, useEffectEvent, useState } from 'react'
import { Disclosure } from '../../../components/disclosure.tsx'
import { CallFailureText } from '../../../components/call-failure-text.tsx'
import { RadioGroup } from '../../../components/radio-group.tsx'
import { Select } from '../../../components/select.tsx'
import { useCall } from '../../../hooks/use-call.ts'
import { useOnline } from '../../../hooks/use-online.ts'
import type { Workspace } from '../../../lib/records/use-workspace.ts'
import { newTableMessages as words, newTableRefusals } from '../../../messages/new-table.ts'
import { Part } from './part.tsx'
import { type DraftAccess, type NewTable, type TableDraft, teamFieldsOf } from './table-draft.ts'
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
          <Rules workspace={workspace} definition={making.planned.definition} isMaking={making.call.isPending} />
        </Disclosure>
      ) : null}
    </Part>
  )
}

/** The statements that the server would run, as returned by the server. */
function Rules({
  workspace,
  definition,
  isMaking,
}: {
  readonly workspace: Workspace
  readonly definition: NewTable['definition']
  /** While the table is being created, the server can no longer preview its policies, because its name is taken. */
  readonly isMaking: boolean
}): JSX.Element {
  const isOnline = useOnline()
  const { run, failure } = useCall(newTableRefusals)
  const [known, setKnown] = useState<{ readonly of: string; readonly text: string }>()
  const wanted = JSON.stringify(definition)
  const ask = useEffectEvent(async (of: string) => {
    const asked = await run<string>('new_table_sql', { workspace: workspace.id, definition })
    if (asked) setKnown({ of, text: asked.result })
  })
  useEffect(() => {
    if (!isOnline || isMaking) return
    const timer = setTimeout(() => void ask(wanted), 300)
    return () => clearTimeout(timer)
  }, [wanted, isOnline, isMaking])
  if (!isOnline) return <p>{words.offline}</p>
  if (failure) return <CallFailureText failure={failure} />
  if (known?.of !== wanted) return <p role="status">{words.rulesLoading}</p>
  return (
    // Makes it scrollable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-md border border-border bg-sunken p-3 font-mono text-small text-text"
    >
      {known.text}
    </pre>
  )
}
