import { useLocalDatabase } from './use-device.ts'
import { useValue } from './use-value.ts'
import type { LocalDatabase } from '@holdfast/client'

type Schema = ReturnType<LocalDatabase['schema']['get']>

/** Returns the schema as last received from the server: names, columns, types, choices, links, comments, and write access. */
export function useSchema(): Schema {
  return useValue(useLocalDatabase().schema)
}

/** Returns a table of {@link useSchema} by its local name. */
export function useTable(name: string): Schema['tables'][number] | undefined {
  return useSchema().tables.find((table) => table.name === name)
}
