import type { LocalDatabase, RejectedChanges, SyncState } from '@holdfast/client'
import type { SchemaDescriptor } from '@holdfast/protocol'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import { createContext, type JSX, type ReactNode, useContext, useMemo } from 'react'
import { useValue } from '@holdfast/react'
import { type TableInfo, tablesOf } from './tables.ts'

/** The open account's data on this device, and what keeps it in step with the server. */
export interface Device {
  readonly local: LocalDatabase
  readonly database: CommonPowerSyncDatabase
  readonly schema: SchemaDescriptor
  /** The project's tables that this person may see, by label. */
  readonly tables: readonly TableInfo[]
  readonly rejected: RejectedChanges
  readonly syncState: SyncState
}

const DeviceContext = createContext<Device | undefined>(undefined)

/** Makes the open local database known below; the tables follow the server's schema. */
export function DeviceProvider({
  local,
  children,
}: {
  readonly local: LocalDatabase
  readonly children: ReactNode
}): JSX.Element {
  const schema = useValue(local.schema)
  const syncState = useValue(local.sync)
  const tables = useMemo(() => tablesOf(schema), [schema])
  const device = useMemo(
    () => ({ local, database: local.database, schema, tables, rejected: local.rejected, syncState }),
    [local, schema, tables, syncState],
  )
  return <DeviceContext value={device}>{children}</DeviceContext>
}

/** The open account's device. Only below the signed-in layout. */
export function useDevice(): Device {
  const device = useContext(DeviceContext)
  if (!device) throw new Error('useDevice is called outside of the signed-in layout')
  return device
}

/** A table by its local name, as the schema has it now. */
export function useTable(name: string): TableInfo | undefined {
  return useDevice().tables.find((table) => table.name === name)
}
