import { useLocalDatabase } from '@holdfast/react'
import { type JSX, useCallback } from 'react'
import { Button } from '../../components/button.tsx'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { NoRows, Row, Rows, Section } from '../../components/section.tsx'
import { showToast } from '../../components/toast.tsx'
import { describeRefusal, useCall } from '../../hooks/use-call.ts'
import { callFunction } from '../../lib/data/call-function.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { pageLocale } from '../../lib/language.ts'
import type { Workspace } from '../../lib/records/use-workspace.ts'
import { newTableRefusals } from '../../messages/new-table.ts'
import { tableSettingsMessages as words, tableSettingsRefusals } from '../../messages/table-settings.ts'
import { useOnlineRead } from './use-online-read.ts'

interface DeletedTable {
  readonly table_name: string
  readonly label: string
  readonly restorable_until: string
}

/** The tables that owners and admins can restore. */
export function DeletedTables({ workspace }: { readonly workspace: Workspace }): JSX.Element {
  const backend = useBackend()
  const { refreshSchema } = useLocalDatabase()
  const call = useCall({ ...newTableRefusals, ...tableSettingsRefusals })
  const { id } = workspace
  const { state, reload } = useOnlineRead(
    useCallback(
      () => callFunction<readonly DeletedTable[]>(backend, 'deleted_tables', { workspace: id }),
      [backend, id],
    ),
  )
  const restore = async ({ table_name, label }: DeletedTable): Promise<void> => {
    const done = await call.run<{ readonly left_out: readonly string[] }>('restore_table', {
      workspace: id,
      table_name,
    })
    if (!done) return
    const { left_out: leftOut } = done.result
    showToast({
      text: leftOut.length === 0 ? words.restored(label) : words.restoredWithout(label, leftOut.join(', ')),
    })
    await reload()
    // Otherwise the table arrives with the next check of the schema.
    await refreshSchema().catch((error: unknown) => console.warn('The schema did not come.', error))
  }
  return (
    <Section title={words.deletedTables} description={words.deletedTablesDetail}>
      {state.kind === 'offline' ? <p className="text-small text-muted">{words.offline}</p> : null}
      {state.kind === 'failed' ? <CallFailureText failure={describeRefusal(state.error)} /> : null}
      {state.kind === 'ready' && state.value.length === 0 ? <NoRows>{words.noTablesDeleted}</NoRows> : null}
      {state.kind === 'ready' && state.value.length > 0 ? (
        <Rows label={words.deletedTables}>
          {state.value.map((table) => (
            <Row
              key={table.table_name}
              title={table.label}
              actions={
                <Button
                  size="sm"
                  isDisabled={call.isPending}
                  aria-label={words.restoreOf(table.label)}
                  onPress={() => void restore(table)}
                >
                  {words.undo}
                </Button>
              }
            >
              {words.until(new Date(table.restorable_until).toLocaleDateString(pageLocale()))}
            </Row>
          ))}
        </Rows>
      ) : null}
      <CallFailureText failure={call.failure} />
    </Section>
  )
}
