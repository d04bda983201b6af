import { useSchema } from '@holdfast/react'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type JSX, useMemo } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { Page } from '../../components/page.tsx'
import { Select } from '../../components/select.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useTables } from '../../lib/data/use-tables.tsx'
import { fieldsOf } from '../../lib/fields/field.ts'
import { importMessages as words } from '../../messages/import.ts'
import { ChooseFile } from './choose-file.tsx'
import { CheckedFile } from './checked-file.tsx'
import { ImportDone, Undone, Working } from './import-progress.tsx'
import { useImport } from './use-import.ts'

/** Brings records from a file into a table that is there. */
export function ImportScreen(): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/import' })
  const { table: name } = useSearch({ from: '/signed-in/w/$ws/import' })
  const navigate = useNavigate()
  const tables = useTables().filter(({ descriptor: { can } }) => can.insert || can.update)
  const table = tables.find((one) => one.name === name) ?? tables[0]
  return (
    <Page title={words.title} description={words.description}>
      {table === undefined ? (
        <EmptyState title={words.noTable} />
      ) : (
        <div className="flex flex-col gap-6">
          <Select
            label={words.table}
            options={tables.map((one) => ({ value: one.name, label: one.label }))}
            value={table.name}
            onChange={(next) =>
              void navigate({ to: '/w/$ws/import', params: { ws }, search: { table: next }, replace: true })
            }
            className="max-w-sm"
          />
          <ImportInto key={table.name} table={table} workspace={ws} />
        </div>
      )}
    </Page>
  )
}

function ImportInto({ table, workspace }: { readonly table: TableInfo; readonly workspace: string }): JSX.Element {
  const schema = useSchema()
  const fields = useMemo(() => fieldsOf(table.descriptor, schema), [table.descriptor, schema])
  const work = useImport(table, fields)
  const { step } = work
  switch (step.kind) {
    case 'choosing':
      return <ChooseFile onFile={work.read} problem={step.problem} />
    case 'reading':
      return <Working label={words.reading} text={words.rowsRead(step.rows)} onStop={work.again} />
    case 'checking':
    case 'checked':
      return <CheckedFile {...{ table, fields, step, work }} />
    case 'writing':
      return (
        <Working
          label={words.writing}
          text={words.checked(step.done, step.plan.changes.length)}
          done={step.done}
          total={step.plan.changes.length}
          onStop={work.stop}
        />
      )
    case 'written':
      return <ImportDone {...{ table, step, work, workspace }} />
    case 'undoing':
      return (
        <Working
          label={words.undoing}
          text={words.checked(step.done, step.total)}
          done={step.done}
          total={step.total}
        />
      )
    case 'undone':
      return <Undone kept={step.kept} onAgain={work.again} />
    default:
      return step satisfies never
  }
}
