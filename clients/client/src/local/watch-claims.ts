import type { Session } from '../session/session.ts'

/**
 * Tells when the person's next token claims something else than the one before: the stream goes on with what it was opened with until that token ends, and
 * policies read the claims.
 */
export function watchClaims({ claims }: Pick<Session, 'claims'>, userId: string, onOthers: () => void): Disposable {
  let last: string | undefined
  const look = (): void => {
    const now = claims.get()
    if (now?.userId !== userId) return
    const isOther = last !== undefined && last !== now.text
    last = now.text
    if (isOther) onOthers()
  }
  look()
  return { [Symbol.dispose]: claims.subscribe(look) }
}
