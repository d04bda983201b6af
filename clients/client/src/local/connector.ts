import type { PowerSyncBackendConnector } from '@powersync/common'
import type { UserTokens } from '../session/session.ts'
import type { UploadQueue } from '../upload/upload-queue.ts'

/** What the SDK calls of a connector, one call more than its documentation has. */
interface Connector extends PowerSyncBackendConnector {
  /** The server refused the token, or ended the stream before the token's end: the next one is asked for. */
  invalidateCredentials(): void
}

/** Ties a local database to the server: the person's token for the stream, the queue for what goes up. */
export function createConnector(url: string, tokens: UserTokens, queue: UploadQueue): Connector {
  /** The server refused the token, or asked for another one before its end. */
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
