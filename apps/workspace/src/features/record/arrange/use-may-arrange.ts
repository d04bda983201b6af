import { useJudgements, useSchema } from '@holdfast/react'
import { useMemo } from 'react'
import { FIELDS_TABLE } from '../../../lib/data/fields-table.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { useWorkspace } from '../../../lib/records/use-workspace.ts'

/** For whom a person arranges fields. */
interface ArrangedFor {
  /** `null`: the whole project; `undefined` where the server keeps no workspace of fields. */
  readonly workspace: string | null | undefined
}

/** For whom this person may say where the fields of a table stand, as far as this device knows: the workspace, else the whole project; `undefined`: nobody. */
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
