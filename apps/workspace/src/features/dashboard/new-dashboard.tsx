import { useLocalDatabase } from '@holdfast/react'
import { useNavigate } from '@tanstack/react-router'
import { LayoutDashboard } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { useRecordWriter } from '../../components/records/use-record-writer.ts'
import { TableIcon } from '../../components/table-icon.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useToday } from '../../hooks/use-today.ts'
import { cx } from '../../lib/cx.ts'
import { createDashboard } from '../../lib/dashboards/dashboard-commands.ts'
import { DASHBOARDS_TABLE, useDashboards } from '../../lib/dashboards/use-dashboards.ts'
import { useTableCounts } from '../../lib/data/use-table-counts.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useTables } from '../../lib/data/use-tables.tsx'
import { useFields } from '../../lib/fields/use-fields.ts'
import { useWorkspace } from '../../lib/records/use-workspace.ts'
import { useScopeRights } from '../../lib/views/use-scope-rights.ts'
import type { ViewScope } from '../../lib/views/use-views.ts'
import { dashboardMessages as words } from '../../messages/dashboard.ts'
import { NAME_MAX, ScopeSelect } from './dashboard-form.tsx'
import { proposeTiles } from './editor/propose-tiles.ts'

/** Makes a dashboard, with tiles that are useful at once. */
export function NewDashboard({ workspace: ws }: { readonly workspace: string }): JSX.Element {
  const tables = useTables()
  const counts = useTableCounts()
  const { userId } = useLocalDatabase()
  const rights = useScopeRights(DASHBOARDS_TABLE, undefined, userId)
  const workspace = useWorkspace()
  const { dashboards } = useDashboards(workspace?.id)
  const writer = useRecordWriter()
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<string>()
  const start = chosen ?? tables.find(({ isSupporting }) => !isSupporting)?.name ?? ''
  const table = tables.find(({ name }) => name === start)
  const fields = useFields(table?.descriptor, useToday())
  const [typed, setTyped] = useState<string>()
  const [scopeChosen, setScope] = useState<ViewScope>()
  const [isMaking, setMaking] = useState(false)
  const name = typed ?? table?.label ?? ''
  const scope = scopeChosen ?? (rights.scopes.includes('shared') ? 'shared' : 'personal')
  const create = async (): Promise<void> => {
    if (name.trim() === '') return
    setMaking(true)
    const made = createDashboard({
      draft: { name: name.trim(), scope },
      config: { filters: [], tiles: table ? proposeTiles(table, fields, counts) : [] },
      userId,
      position: Math.max(-1, ...dashboards.map(({ position }) => position ?? 0)) + 1,
      workspace: rights.workspaceOf(scope) ?? null,
    })
    if (await writer.write(made.command))
      await navigate({ to: '/w/$ws/d/$dashboard', params: { ws, dashboard: made.id } })
    setMaking(false)
  }
  return (
    <Page title={words.newDashboard} width="reading" description={words.newDetail}>
      <form
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <StartChoices tables={tables} chosen={start} onChange={setChosen} />
        <TextField
          label={words.name}
          value={name}
          maxLength={NAME_MAX}
          errorMessage={name.trim() === '' && typed !== undefined ? words.nameMissing : undefined}
          onChange={setTyped}
        />
        <ScopeSelect scope={scope} scopes={rights.scopes} onChange={setScope} />
        <div>
          <Button type="submit" tone="primary" isPending={isMaking} isDisabled={name.trim() === ''}>
            {words.create}
          </Button>
        </div>
      </form>
    </Page>
  )
}

function StartChoices({
  tables,
  chosen: start,
  onChange: setChosen,
}: {
  readonly tables: readonly TableInfo[]
  readonly chosen: string
  readonly onChange: (table: string) => void
}): JSX.Element {
  const counts = useTableCounts()
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="pb-1.5 text-small font-medium">{words.startFrom}</legend>
      <div className="grid gap-2 tablet:grid-cols-2">
        {tables.map((one) => (
          <StartChoice
            key={one.name}
            value={one.name}
            chosen={start}
            onChange={setChosen}
            title={one.label}
            detail={words.startTable(counts.get(one.name) ?? 0)}
          >
            <TableIcon table={one} />
          </StartChoice>
        ))}
        <StartChoice
          value=""
          chosen={start}
          onChange={setChosen}
          title={words.startEmpty}
          detail={words.startEmptyDetail}
        >
          <LayoutDashboard size={18} aria-hidden />
        </StartChoice>
      </div>
    </fieldset>
  )
}

function StartChoice({
  value,
  chosen,
  onChange,
  title,
  detail,
  children,
}: {
  readonly value: string
  readonly chosen: string
  readonly onChange: (value: string) => void
  readonly title: string
  readonly detail: string
  readonly children: JSX.Element
}): JSX.Element {
  return (
    <label
      className={cx(
        'flex min-h-12 items-center gap-3 rounded-lg border px-3 py-2 has-focus-visible:outline-2 has-focus-visible:outline-focus',
        value === chosen ? 'border-accent bg-accent-soft' : 'border-border hover:bg-hover',
      )}
    >
      <input
        type="radio"
        name="start"
        className="sr-only"
        value={value}
        checked={value === chosen}
        onChange={() => onChange(value)}
      />
      {children}
      <span className="min-w-0 flex-1">
        <span className="block truncate text-body font-medium">{title}</span>
        <span className="block text-small text-muted">{detail}</span>
      </span>
    </label>
  )
}
