import { useLocalDatabase } from '@holdfast/react'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import { useEffect } from 'react'
import { useUndo } from './create-record-writer.ts'
import { useHasReadMarks } from './read-marks.ts'
import type { Command } from './record-change.ts'
import { followVisit } from './visit.ts'

/** Limit of noted records per command; an import of thousands is not slowed down. */
const NOTED_MAX = 1_000

/** Notes when the user is here and what they change, for what others changed since the last visit. Renders nothing. */
export function FollowVisit(): null {
  const { database, userId } = useLocalDatabase()
  const hasMarks = useHasReadMarks()
  useEffect(() => followVisit({ database, userId, hasMarks }), [database, userId, hasMarks])
  useEffect(
    () =>
      useUndo.subscribe(({ stack }, { stack: before }) => {
        const command = stack === before ? undefined : (stack.undone.at(-1) ?? stack.done.at(-1))
        if (command) noteOwn(database, command)
      }),
    [database],
  )
  return null
}

function noteOwn(database: CommonPowerSyncDatabase, { changes }: Command): void {
  const refs = new Set(changes.map(({ table, id }) => `${table}/${id}`))
  database
    .execute(
      `insert or replace into hf_local_recent (id, kind, ref, at) select 'own:' || value, 'own', value, ? from json_each(?)`,
      [new Date().toISOString(), JSON.stringify([...refs].slice(0, NOTED_MAX))],
    )
    .catch((error: unknown) => console.info('The own changes of this visit were not noted.', error))
}
