/**
 * A clock for durations: while the device's clock is set back it stands still, and goes on from there. A clock that is put right when the network is back would
 * otherwise stop for hours what waits for a second.
 */
export function steadyClock(now: () => number): () => number {
  let last = Number.NEGATIVE_INFINITY
  let behindMs = 0
  return () => {
    const at = now() + behindMs
    if (at < last) behindMs += last - at
    last = Math.max(last, at)
    return last
  }
}
