import { useLocalDatabase } from './use-device.ts'
import { useValue } from './use-value.ts'
import type { LocalDatabase } from '@holdfast/client'

type Schema = ReturnType<LocalDatabase['schema']['get']>

/** The tables of this device as the server described them last: names, columns, types, choices, links, comments, and what the person may write. */
export function useSchema(): Schema {
  return useValue(useLocalDatabase().schema)
}

/** One table of {@link useSchema}, by its name on the device. */
export function useTable(name: string): Schema['tables'][number] | undefined {
  return useSchema().tables.find((table) => table.name === name)
}
