/** Percentage of sent bytes, below 100 until the server has responded: the browser counts bytes handed to the network. */
export function percentSent(sentBytes: number, bytes: number): number {
  return bytes === 0 ? 0 : Math.min(99, Math.round((100 * sentBytes) / bytes))
}
