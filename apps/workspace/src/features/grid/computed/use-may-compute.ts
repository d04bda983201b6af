import { useRecords, useSchema } from '@holdfast/react'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { canChange, useWorkspace } from '../../../lib/records/use-workspace.ts'

/** Returns the workspace that made a table if this user may change its fields. */
export function useMayCompute({ descriptor }: TableInfo): string | undefined {
  const workspace = useWorkspace()
  const { tables } = useSchema()
  const isKept =
    tables.some(({ name }) => name === 'hf_computed_fields') && tables.some(({ name }) => name === 'hf_tables')
  const { rows } = useRecords<{ readonly workspace: string | null }>(
    isKept ? `select workspace_id as workspace from hf_tables where schema_name = 'public' and table_name = ?` : '',
    [descriptor.table],
  )
  const [made] = rows
  if (descriptor.schema !== 'public' || !workspace || !canChange(workspace)) return undefined
  return made?.workspace === workspace.id ? workspace.id : undefined
}
