import { expect } from 'vitest'
import type { World } from './sync-world.ts'

/** Loses the slots of a service that has stopped. Postgres lets go of a slot some time after its reader has gone. */
export async function dropSlots(world: Pick<World, 'rows' | 'run'>): Promise<void> {
  const active = 'select slot_name from pg_replication_slots where database = current_database() and active'
  await expect.poll(() => world.rows(active)).toEqual([])
  await world.run(
    `select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database()`,
  )
}
