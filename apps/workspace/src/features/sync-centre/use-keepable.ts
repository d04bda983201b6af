import { useJudgements, useRecords } from '@holdfast/react'
import type { PlannedWrite, RejectedChange } from '@holdfast/client'
import type { SchemaDescriptor } from '@holdfast/protocol'
import { useMemo } from 'react'
import { useWordedSchema } from '../../lib/data/use-tables.tsx'
import type { LocalValueOf } from '../../lib/fields/field-value.ts'
import { writtenValues } from './use-rejected-record.ts'

type Row = Readonly<Record<string, LocalValueOf>>

/** Limit of changes judged at once; the server decides about further ones. */
const JUDGED_MAX = 500

/** Returns the conflicts whose values the rules on this device let replace the current ones; others would only come back. */
export function useKeepable(changes: readonly RejectedChange[]): readonly RejectedChange[] {
  const schema = useWordedSchema()
  const conflicts = changes.filter(({ verdict }) => verdict.status === 'conflict').slice(0, JUDGED_MAX)
  const { rows } = useRecords<{ readonly type: string; readonly id: string; readonly data: string | null }>(
    conflicts.length === 0
      ? ''
      : `select o.row_type as type, o.row_id as id, o.data from ps_oplog o
           join json_each(?) asked on o.row_type = asked.value ->> 0 and o.row_id = asked.value ->> 1 order by o.op_id`,
    [JSON.stringify(conflicts.map(({ table, recordId }) => [table, recordId]))],
  )
  const judged = useMemo(() => {
    // Later operations override earlier ones.
    const current = new Map(rows.map(({ type, id, data }) => [`${type}/${id}`, data]))
    return conflicts.flatMap((change) => {
      const data = current.get(`${change.table}/${change.recordId}`)
      return data === null || data === undefined
        ? []
        : [{ id: change.id, write: keepMineWrite(change, schema, JSON.parse(data) as Row) }]
    })
    // eslint-disable-next-line react/exhaustive-deps
  }, [rows, schema, conflicts.map(({ id }) => id).join()])
  const judgements = useJudgements(judged.map(({ write }) => write))
  const refused = new Set(judged.filter((_, index) => judgements?.[index]?.kind === 'refused').map(({ id }) => id))
  return changes.filter(({ id }) => !refused.has(id))
}

/** The write that puts the user's values in place of the server's. */
function keepMineWrite(change: RejectedChange, schema: SchemaDescriptor, serverRow: Row): PlannedWrite {
  const columns = schema.tables.find(({ name }) => name === change.table)?.columns ?? []
  const yours = writtenValues(change)
  const mine = Object.fromEntries(
    columns.flatMap(({ name, generated }) =>
      name !== 'id' && !generated && name in yours ? [[name, yours[name] ?? null]] : [],
    ),
  )
  return {
    table: change.table,
    command: 'update',
    before: serverRow,
    after: { ...serverRow, ...mine },
    changed: Object.keys(mine),
  }
}
