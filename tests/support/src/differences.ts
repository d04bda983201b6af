import type { TestDevice } from './devices.ts'

/** Maximum reported differences per table. */
const TOLD_MAX = 5

/**
 * Compares tables of a device with what Postgres lets its person select now. No client may be writing meanwhile.
 *
 * @param tables - default: all
 * @returns a line per difference; none when they are equal
 */
export async function differences(
  device: TestDevice,
  tables: readonly string[] = device.tables(),
): Promise<readonly string[]> {
  const told: string[] = []
  for (const table of tables) {
    const [local, visible] = await Promise.all([device.localRows(table), device.visibleRows(table)])
    const found: string[] = []
    for (const [id, row] of visible) {
      const mine = local.get(id)
      if (!mine) found.push(`lacks ${JSON.stringify(row)}`)
      else if (JSON.stringify(mine) !== JSON.stringify(row))
        found.push(`has ${JSON.stringify(mine)} instead of ${JSON.stringify(row)}`)
    }
    for (const [id, row] of local) if (!visible.has(id)) found.push(`still has ${JSON.stringify(row)}`)
    const where = `${device.email}: ${table} (${local.size} rows here, ${visible.size} visible)`
    for (const line of found.slice(0, TOLD_MAX)) told.push(`${where} ${line}`)
    if (found.length > TOLD_MAX) told.push(`${where} and ${found.length - TOLD_MAX} more`)
  }
  return told
}
