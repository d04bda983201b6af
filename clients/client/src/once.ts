/** What ends a use: who ends one twice does not end that of another. */
export function once(end: () => void): () => void {
  let hasEnded = false
  return () => {
    if (hasEnded) return
    hasEnded = true
    end()
  }
}
