/** A monotonic clock for durations: pauses while the device's clock is set back. Otherwise a corrected clock could stall a one-second wait for hours. */
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
