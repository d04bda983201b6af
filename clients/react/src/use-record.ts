import { useRecords } from './use-records.ts'

/** State of a record: `row` is `undefined` while loading and if the record is not on this device. */
export interface LiveRecord<Row> {
  readonly row: Row | undefined
  readonly isLoading: boolean
  readonly error: Error | undefined
}

/** Returns a record by id. `table` is a schema name, never user input. */
export function useRecord<Row extends object>(table: string, id: string): LiveRecord<Row> {
  const { rows, isCurrent, error } = useRecords<Row>(`select * from "${table.replaceAll('"', '""')}" where id = ?`, [
    id,
  ])
  // Ignore the result for another id.
  return { row: isCurrent ? rows[0] : undefined, isLoading: !isCurrent, error }
}
