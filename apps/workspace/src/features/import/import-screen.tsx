import { useHasSynced, useSchema } from '@holdfast/react'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type JSX, useMemo, useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { LinkButton } from '../../components/link.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { RadioGroup } from '../../components/radio-group.tsx'
import { Select } from '../../components/select.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useTables } from '../../lib/data/use-tables.tsx'
import { fieldsOf } from '../../lib/fields/field.ts'
import { canChange, useWorkspace, type Workspace } from '../../lib/records/use-workspace.ts'
import { importMessages as words } from '../../messages/import.ts'
import { newTableMessages } from '../../messages/new-table.ts'
import { ImportProgress } from './import-progress.tsx'
import { NewTable } from './new-table/new-table.tsx'
import { useImport } from './use-import.ts'

/** Imports records from a file into a new table, if the user may create tables, or into an existing one. */
export function ImportScreen(): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/import' })
  const search = useSearch({ from: '/signed-in/w/$ws/import' })
  const navigate = useNavigate()
  const hasSynced = useHasSynced()
  const workspace = useLastWorkspace()
  const [isMade, setMade] = useState(false)
  const tables = useTables().filter(({ descriptor: { can } }) => can.insert || can.update)
  // Waits until the user's rights are known; otherwise a chosen file could be lost.
  const isKnown = workspace !== undefined && (workspace !== null || hasSynced)
  if (search.new === true && !isKnown) return <Page title={newTableMessages.title}>{null}</Page>
  const makesTables = workspace && canChange(workspace) ? workspace : undefined
  const isNew = makesTables !== undefined && (search.new === true || tables.length === 0)
  const table = tables.find((one) => one.name === search.table) ?? tables[0]
  const choose = (next: { readonly new: true } | { readonly table?: string }): void =>
    void navigate({ to: '/w/$ws/import', params: { ws }, search: next, replace: true })
  return (
    <Page
      title={isNew ? newTableMessages.title : words.title}
      description={isNew ? newTableMessages.description : words.description}
    >
      <div className="flex flex-col gap-6">
        {makesTables && tables.length > 0 && !isMade ? (
          <div className="max-w-xl">
            <RadioGroup
              label={words.into}
              options={[
                { value: 'new', label: newTableMessages.choice },
                { value: 'existing', label: words.existing },
              ]}
              value={isNew ? 'new' : 'existing'}
              onChange={(next) => choose(next === 'new' ? { new: true } : {})}
            />
          </div>
        ) : null}
        {search.new === true && !isNew ? (
          <Notice tone="info" title={words.onlyAdmins}>
            {tables.length === 0 ? null : words.onlyAdminsDetail}
          </Notice>
        ) : null}
        {isNew ? (
          <NewTable workspace={makesTables} ws={ws} onMade={setMade} />
        ) : table ? (
          <>
            <Select
              label={words.table}
              options={tables.map((one) => ({ value: one.name, label: one.label }))}
              value={table.name}
              onChange={(next) => choose({ table: next })}
              className="max-w-sm"
            />
            <ImportInto key={table.name} table={table} workspace={ws} />
          </>
        ) : (
          <EmptyState
            title={words.noTable}
            action={
              <LinkButton to="/w/$ws" params={{ ws }}>
                {words.home}
              </LinkButton>
            }
          />
        )}
      </div>
    </Page>
  )
}

/** Returns the last known workspace, so that a table being created stays on screen while the schema changes. */
function useLastWorkspace(): Workspace | null | undefined {
  const workspace = useWorkspace()
  const [last, setLast] = useState(workspace)
  if (workspace !== undefined && (workspace?.id !== last?.id || workspace?.role !== last?.role)) setLast(workspace)
  return workspace === undefined ? last : workspace
}

function ImportInto({ table, workspace }: { readonly table: TableInfo; readonly workspace: string }): JSX.Element {
  const schema = useSchema()
  const fields = useMemo(() => fieldsOf(table.descriptor, schema), [table.descriptor, schema])
  const work = useImport(table, fields)
  return <ImportProgress {...{ table, fields, work, workspace }} />
}
