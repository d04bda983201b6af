import { useSchema } from '@holdfast/react'
import { type TableInfo, tablesOf } from './tables.ts'

/** The project's tables that this person may see, by label; they follow the server's schema. */
export function useTables(): readonly TableInfo[] {
  return tablesOf(useSchema())
}

/** A table by its local name, as the schema has it now. */
export function useTableInfo(name: string): TableInfo | undefined {
  return useTables().find((table) => table.name === name)
}
