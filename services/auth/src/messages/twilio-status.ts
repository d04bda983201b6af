/** Client error statuses caused by the account or a temporary condition rather than by the request. */
const TEMPORARY: ReadonlySet<number> = new Set([401, 408, 429])

/** Returns whether a retry would get the same response. */
export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !TEMPORARY.has(status)
}
