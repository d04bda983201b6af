/**
 * Runs `lead` in one of all tabs with this user's database open, and in the next one when that tab closes.
 *
 * @param signal - ends the wait; a running `lead` must end by itself
 */
export async function runAsLeader(name: string, signal: AbortSignal, lead: () => Promise<void>): Promise<void> {
  const locks = (globalThis.navigator as Partial<Navigator> | undefined)?.locks
  // Node before 24.5 has no Web Locks, and no tabs.
  if (!locks) return lead()
  try {
    await locks.request(name, { signal }, lead)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
