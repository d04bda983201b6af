/** A JSON object whose members are not validated yet. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Returns whether a value is an object, not `null` or an array. */
export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** @returns `undefined` for invalid JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @returns `undefined` for text that is not a JSON object */
export function parseRecord(text: string): JsonObject | undefined {
  const value = parseJson(text)
  return isRecord(value) ? value : undefined
}

/** Renders JSON with sorted keys, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
}

/** Returns the message of any thrown value. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Converts any thrown value to an error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** Returns the delay in ms of the `attempt`-th retry (from 0), with exponential backoff and ±20 % jitter. */
export function backoffMs(attempt: number, minMs: number, maxMs: number, random: () => number = Math.random): number {
  return Math.min(maxMs, minMs * 2 ** attempt) * (0.8 + 0.4 * random())
}
