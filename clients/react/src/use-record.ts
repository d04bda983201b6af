import { useRecords } from './use-records.ts'

/** The state of one record: `row` is `undefined` while loading, and when it is not on this device. */
export interface LiveRecord<Row> {
  readonly row: Row | undefined
  readonly isLoading: boolean
  readonly error: Error | undefined
}

/** One record of a table, by its id. `table` is a name of the schema, never a person's input. */
export function useRecord<Row extends object>(table: string, id: string): LiveRecord<Row> {
  const { rows, isCurrent, error } = useRecords<Row>(`select * from "${table.replaceAll('"', '""')}" where id = ?`, [
    id,
  ])
  // The answer for another id is none for this one.
  return { row: isCurrent ? rows[0] : undefined, isLoading: !isCurrent, error }
}
