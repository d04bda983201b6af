import type { Session } from '../session/session.ts'

/** Notifies when the user's next token has different claims: policies read the claims, but the stream keeps its token until that expires. */
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
