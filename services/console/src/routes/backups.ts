import type { BackupList } from '@holdfast/protocol'
import { answer, route, type Route } from '../routing/route.ts'

export interface BackupSources {
  list(): Promise<BackupList>
  /**
   * Begins a backup, which {@link list} follows.
   *
   * @returns the name of its folder
   * @throws {HoldfastError} `backup_running`, `backup_no_space`
   */
  begin(): Promise<string>
}

/** Backups on the disk of the server. Only owners see and make them: each holds all rows, files and keys. */
export function backupRoutes(backups: BackupSources): readonly Route[] {
  return [
    route('GET /backups', { access: 'owner', run: () => backups.list() }),
    route('POST /backups', {
      access: 'owner',
      action: 'take_backup',
      run: async ({ note }) => {
        const name = await backups.begin()
        note({ target: `backup ${name}` })
        return answer({ status: 202, body: { name } })
      },
    }),
  ]
}
