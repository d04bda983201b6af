import { createHmac, timingSafeEqual } from 'node:crypto'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Unsubscribe links of a user's daily mail, usable by anyone who has the mail. Signed, and valid as long as the server's secret. */
export interface UnsubscribeLinks {
  tokenOf(userId: string): string
  /** @returns the user; `undefined` for a token that this server did not create */
  read(token: unknown): string | undefined
}

/** @param secret - of the server. The key is derived from it, so that no other signed text is accepted as a link. */
export function createUnsubscribeLinks(secret: string): UnsubscribeLinks {
  const key = createHmac('sha256', secret).update('holdfast: links that end daily mails').digest()
  const sign = (userId: string): Buffer => createHmac('sha256', key).update(userId).digest()
  return {
    tokenOf: (userId) => `${userId}.${sign(userId).toString('base64url')}`,
    read(token) {
      if (typeof token !== 'string') return undefined
      const [userId = '', given = ''] = token.split('.')
      const signature = Buffer.from(given, 'base64url')
      const isOurs = UUID.test(userId) && signature.length === 32 && timingSafeEqual(signature, sign(userId))
      return isOurs ? userId : undefined
    },
  }
}
