import { useRecords } from './use-records.ts'

/** What is known of one record: `row` is `undefined` while loading, and when it is not on this device. */
export interface LiveRecord<Row> {
  readonly row: Row | undefined
  readonly isLoading: boolean
  readonly error: Error | undefined
}

/** One record of a table, by its id. `table` is a name of the schema, never a person's input. */
export function useRecord<Row extends object>(table: string, id: string): LiveRecord<Row> {
  const { rows, isLoading, error } = useRecords<Row>(`select * from "${table.replaceAll('"', '""')}" where id = ?`, [
    id,
  ])
  return { row: rows[0], isLoading, error }
}
