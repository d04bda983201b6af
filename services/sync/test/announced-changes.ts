import { expect } from 'vitest'
import { sql } from '@holdfast/postgres'
import type { World } from './sync-world.ts'

/** How many messages the event triggers wrote into the transaction of a statement, by what they say. */
export interface AnnouncedChanges {
  readonly ddl: number
  readonly quiet: number
  readonly apart: number
}

/** Makes a slot that {@link readAnnounced} reads. It goes with the database. */
export async function openAnnouncements(world: World): Promise<void> {
  await world.rows(`select pg_create_logical_replication_slot('${slotOf(world)}', 'pgoutput')`)
}

/** Runs a statement, and reads its messages. */
export async function readAnnounced(world: World, statement: string): Promise<AnnouncedChanges> {
  await world.run(statement)
  let texts: string[] = []
  const ofPrefix = (prefix: string): number => texts.filter((text) => text.includes(prefix)).length
  // Its transaction is in the log as a whole, a moment later.
  await expect
    .poll(async () => {
      const messages = await world.db.pool.query<{ text: string }>(sql`
        select encode(data, 'escape') as text from pg_logical_slot_get_binary_changes(${slotOf(world)}::name, null, null,
          'proto_version', '1', 'publication_names', 'holdfast', 'messages', 'true')`)
      texts = messages.map(({ text }) => text)
      return ofPrefix('holdfast:ddl')
    })
    .toBeGreaterThan(0)
  return { ddl: ofPrefix('holdfast:ddl'), quiet: ofPrefix('holdfast:quiet'), apart: ofPrefix('holdfast:apart') }
}

/** Slots are those of the whole cluster, which files share. */
function slotOf(world: World): string {
  return `announced_${world.db.name}`
}
