import { Session } from 'node:inspector/promises'

export const MEBIBYTE = 1024 * 1024

/** What is in use once all garbage is collected. */
export async function usedBytes(): Promise<number> {
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.collectGarbage')
  session.disconnect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
