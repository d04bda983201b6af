/** Makes a release function idempotent, so that a second call does not release another user's hold. */
export function once(end: () => void): () => void {
  let hasEnded = false
  return () => {
    if (hasEnded) return
    hasEnded = true
    end()
  }
}
