/** Statuses that are about the account, or about this moment, and not about what was asked. */
const TEMPORARY: ReadonlySet<number> = new Set([401, 408, 429])

/** Whether Twilio would answer the same another time. */
export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !TEMPORARY.has(status)
}
