import type { PowerSyncBackendConnector } from '@powersync/common'
import type { UserTokens } from '../session/session.ts'
import type { UploadQueue } from '../upload/upload-queue.ts'

/** The connector methods the SDK calls, including one undocumented. */
interface Connector extends PowerSyncBackendConnector {
  /** The server rejected the token or ended the stream early: the next token is fetched. */
  invalidateCredentials(): void
}

/** Connects a local database to the server: the user's token for the stream, the queue for uploads. */
export function createConnector(
  url: string,
  tokens: UserTokens,
  queue: Pick<UploadQueue, 'upload' | 'wake'>,
): Connector {
  /** The server rejected the token, or requested another before its expiry. */
  let isDoubted = false
  return {
    async fetchCredentials() {
      if (isDoubted) await tokens.verify()
      isDoubted = false
      const credentials = await tokens.credentials()
      if (!credentials) return null
      const { token, expiresAt } = credentials
      return { endpoint: url, token, ...(expiresAt ? { expiresAt } : {}) }
    },
    invalidateCredentials() {
      isDoubted = true
    },
    uploadData: (database) => queue.upload(database),
  }
}
