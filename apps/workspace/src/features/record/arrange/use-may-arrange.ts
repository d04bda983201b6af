import { useJudgements, useSchema } from '@holdfast/react'
import { useMemo } from 'react'
import { FIELDS_TABLE } from '../../../lib/data/fields-table.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'

/** Whether this person may say where the fields of a table stand, as far as this device knows. */
export function useMayArrange({ descriptor: { schema, table } }: TableInfo): boolean {
  const isKept = useSchema().tables.some(({ name, can }) => name === FIELDS_TABLE && can.insert)
  const writes = useMemo(
    () =>
      isKept
        ? [{ table: FIELDS_TABLE, command: 'insert' as const, after: { schema_name: schema, table_name: table } }]
        : [],
    [isKept, schema, table],
  )
  const judgements = useJudgements(writes)
  return isKept && judgements !== undefined && judgements[0]?.kind !== 'refused'
}
