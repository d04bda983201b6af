import { createHmac, timingSafeEqual } from 'node:crypto'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Links that end the daily mail of a person, for whoever has the mail: signed, and good for as long as the secret of the server is. */
export interface OffLinks {
  tokenOf(userId: string): string
  /** @returns the person, or `undefined` for a token that this server did not make */
  read(token: unknown): string | undefined
}

/** @param secret - of the server; the key is derived from it, so that nothing else that is signed with it can be taken for a link */
export function createOffLinks(secret: string): OffLinks {
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
