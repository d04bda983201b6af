import { useJudgements, useSchema } from '@holdfast/react'
import { useMemo } from 'react'
import { FIELDS_TABLE } from '../../../lib/data/fields-table.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { useWorkspace } from '../../../lib/records/use-workspace.ts'

/** The scope of an arrangement. */
interface ArrangedFor {
  /** `null`: the whole project; `undefined` if the server does not store arrangements per workspace. */
  readonly workspace: string | null | undefined
}

/** Returns the scope in which this user may arrange a table's fields, as far as this device knows: the workspace, or else the project. `undefined`: none. */
export function useArrangedFor({ descriptor: { schema, table } }: TableInfo): ArrangedFor | undefined {
  const kept = useSchema().tables.find(({ name, can }) => name === FIELDS_TABLE && can.insert)
  const own = useWorkspace()?.id
  const places = useMemo(
    (): readonly ArrangedFor[] =>
      kept?.columns.some(({ name }) => name === 'workspace_id')
        ? [...(own === undefined ? [] : [{ workspace: own }]), { workspace: null }]
        : [{ workspace: undefined }],
    [kept, own],
  )
  const writes = useMemo(
    () =>
      kept
        ? places.map(({ workspace }) => ({
            table: FIELDS_TABLE,
            command: 'insert' as const,
            after: {
              schema_name: schema,
              table_name: table,
              ...(workspace !== undefined && { workspace_id: workspace }),
            },
          }))
        : [],
    [kept, places, schema, table],
  )
  const judgements = useJudgements(writes)
  return kept && judgements && places.find((_, index) => judgements[index]?.kind !== 'refused')
}

export function useMayArrange(table: TableInfo): boolean {
  return useArrangedFor(table) !== undefined
}
