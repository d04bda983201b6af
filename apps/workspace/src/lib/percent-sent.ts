/** Bytes that the browser has given to the network are not with the server yet: only its answer makes 100 %. */
export function percentSent(sentBytes: number, bytes: number): number {
  return bytes === 0 ? 0 : Math.min(99, Math.round((100 * sentBytes) / bytes))
}
