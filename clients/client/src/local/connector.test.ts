import { describe, expect, test } from 'vitest'
import type { UserTokens } from '../session/session.ts'
import type { UploadQueue } from '../upload/upload-queue.ts'
import { createConnector } from './connector.ts'

const queue: Pick<UploadQueue, 'upload' | 'wake'> = { upload: async () => undefined, wake: () => undefined }
const expiresAt = new Date(0)
function tokensOf(token: string | undefined): UserTokens & { verified: number } {
  const tokens = {
    verified: 0,
    token: async () => token,
    refreshedToken: async () => token,
    credentials: async () => (token === undefined ? undefined : { token, expiresAt }),
    verify: async () => {
      tokens.verified += 1
    },
  }
  return tokens
}

describe('credentials for the stream', () => {
  test('are the person’s token with its end', async () => {
    const connector = createConnector('http://server', tokensOf('token'), queue)
    expect(await connector.fetchCredentials()).toEqual({ endpoint: 'http://server', token: 'token', expiresAt })
  })

  test('are none without a session, which is an answer to the SDK and no failure', async () => {
    expect(await createConnector('http://server', tokensOf(undefined), queue).fetchCredentials()).toBeNull()
  })

  test('are verified once after the server has refused them', async () => {
    const tokens = tokensOf('token')
    const connector = createConnector('http://server', tokens, queue)
    await connector.fetchCredentials()
    expect(tokens.verified).toBe(0)
    connector.invalidateCredentials()
    await connector.fetchCredentials()
    await connector.fetchCredentials()
    expect(tokens.verified).toBe(1)
  })
})
