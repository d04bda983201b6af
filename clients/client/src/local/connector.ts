import type { PowerSyncBackendConnector } from '@powersync/common'
import type { UserTokens } from '../session/session.ts'
import type { UploadQueue } from '../upload/upload-queue.ts'

/** Ties a local database to the server: the person's token for the stream, the queue for what goes up. */
export function createConnector(url: string, tokens: UserTokens, queue: UploadQueue): PowerSyncBackendConnector {
  return {
    async fetchCredentials() {
      const credentials = await tokens.credentials()
      if (!credentials) return null
      const { token, expiresAt } = credentials
      return { endpoint: url, token, ...(expiresAt ? { expiresAt } : {}) }
    },
    uploadData: (database) => queue.upload(database),
  }
}
