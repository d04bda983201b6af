import { useLocalDatabase } from '@holdfast/react'
import { useMemo } from 'react'
import { showToast } from '../toast.tsx'
import { createRecordWriter, type RecordWriter } from '../../lib/records/create-record-writer.ts'

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
        (changes) => soon(async () => (await load()).judgeCommand(local, changes), undefined),
        async (command) =>
          command.changes.some(({ kind }) => kind === 'insert')
            ? soon(async () => (await load()).completeCommand(local, command), command)
            : command,
      ),
    [local],
  )
}

/** Loads judging and defaults with the first change. */
const load = (): Promise<typeof import('../../lib/records/before-write.ts')> =>
  import('../../lib/records/before-write.ts')

/** Timeout in ms for what precedes a write; beyond it the server decides. */
const SOON_MS = 2_000

/** Returns the result of a task, or `otherwise` if it takes too long or its code is unavailable: then the server judges the change and fills in defaults. */
function soon<Result>(task: () => Promise<Result>, otherwise: Result): Promise<Result> {
  const unavailable = (error: unknown): Result => {
    console.info('The server decides.', error)
    return otherwise
  }
  return Promise.race([
    task().catch(unavailable),
    new Promise<Result>((resolve) => setTimeout(resolve, SOON_MS, otherwise)),
  ])
}
