import type { LocalDatabase } from '@holdfast/client'
import { useLocalDatabase } from '@holdfast/react'
import { useMemo } from 'react'
import { showToast } from '../toast.tsx'
import { createRecordWriter, type RecordWriter } from '../../lib/records/create-record-writer.ts'
import type { Refused } from '../../lib/records/not-stored.ts'
import type { NewCommand, RecordChange } from '../../lib/records/record-change.ts'

/** Returns the writer for the signed-in user's records, which shows toasts. */
export function useRecordWriter(): RecordWriter {
  const local = useLocalDatabase()
  return useMemo(
    () =>
      createRecordWriter(
        local.database,
        local.rejected,
        local.userId,
        (text) => showToast({ text }),
        (changes) => judgeSoon(local, changes),
        (command) => completeSoon(local, command),
      ),
    [local],
  )
}

/** Loads the defaults with the first new record; if unavailable, the server fills them in. */
async function completeSoon(local: LocalDatabase, command: NewCommand): Promise<NewCommand> {
  if (!command.changes.some(({ kind }) => kind === 'insert')) return command
  try {
    const { withDefaults } = await import('../../lib/records/computed-defaults.ts')
    return { ...command, changes: await withDefaults(local, command.changes) }
  } catch (error) {
    console.info('The server fills in defaults.', error)
    return command
  }
}

/** Timeout in ms for judging a write; beyond it the server decides. */
const JUDGED_WITHIN_MS = 2_000

/** Loads judging with the first change; if unavailable, the server decides. */
async function judgeSoon(local: LocalDatabase, changes: readonly RecordChange[]): Promise<Refused | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), JUDGED_WITHIN_MS)
  })
  const judge = async (): Promise<Refused | undefined> => {
    const { judgeCommand } = await import('../../lib/records/judge-command.ts')
    return judgeCommand(local, changes)
  }
  try {
    return await Promise.race([judge(), late])
  } catch (error) {
    console.info('A change is judged by the server alone.', error)
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
