import { useLocalDatabase } from '@holdfast/react'
import type { JSX } from 'react'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { Notice } from '../../components/notice.tsx'
import { SqlPreview } from '../../components/records/sql-preview.tsx'
import { showToast } from '../../components/toast.tsx'
import { type Call, useCall } from '../../hooks/use-call.ts'
import { useOnline } from '../../hooks/use-online.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { newTableMessages, newTableRefusals } from '../../messages/new-table.ts'
import { tableSettingsMessages as words, tableSettingsRefusals } from '../../messages/table-settings.ts'

export interface TableChange {
  readonly call: Call
  readonly refusals: Readonly<Record<string, string>>
  readonly isOnline: boolean
  /** Returns the arguments of the server's functions. */
  args(change: object): object
  /** Changes the table and this device's schema. @returns `undefined` if the server refused */
  run(change: object, done: string): Promise<{ readonly table?: string } | undefined>
}

/** A change to a table's fields, and what the dialog shows of it. */
export function useTableChange({
  table,
  onClose,
}: {
  readonly table: TableInfo
  readonly onClose: () => void
}): TableChange {
  const { refreshSchema } = useLocalDatabase()
  const refusals = { ...newTableRefusals, ...tableSettingsRefusals }
  const call = useCall(refusals)
  const args = (change: object): object => ({ workspace: table.madeIn, table_name: table.descriptor.table, change })
  return {
    call,
    refusals,
    isOnline: useOnline(),
    args,
    async run(change, done) {
      const made = await call.run<{ readonly table?: string }>('change_table', args(change))
      if (!made) return undefined
      showToast({ text: done })
      onClose()
      // Otherwise the change arrives with the next check of the schema.
      await refreshSchema().catch((error: unknown) => console.warn('The schema did not come.', error))
      return made.result
    },
  }
}

/** The statements of a change, why it is impossible now, and why the server refused it. */
export function Outcome({
  change,
  of,
}: {
  readonly change: object | undefined
  readonly of: TableChange
}): JSX.Element {
  return (
    <>
      {change === undefined ? null : (
        <Disclosure title={words.details}>
          <SqlPreview
            name="change_table_sql"
            args={of.args(change)}
            refusals={of.refusals}
            isPaused={of.call.isPending}
          />
        </Disclosure>
      )}
      {of.isOnline ? null : <Notice tone="info" role="status" title={words.offline} />}
      <CallFailureText failure={of.call.failure} />
    </>
  )
}

const isLabel = (text: string): boolean =>
  text.trim() !== '' && !/[.\p{Cc}]/u.test(text) && [...text.trim()].length <= 40

/** Returns what is wrong with a label. */
export function labelProblem(label: string, missing: string = words.nameMissing): string | undefined {
  if (label.trim() === '') return missing
  return isLabel(label) ? undefined : newTableMessages.labelForm
}
