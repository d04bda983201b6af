/** An object of JSON whose members are not checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is an object: neither `null` nor a list. */
export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** @returns `undefined` for a text that is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @returns `undefined` for a text that is not a JSON object */
export function parseRecord(text: string): JsonObject | undefined {
  const value = parseJson(text)
  return isRecord(value) ? value : undefined
}

/** JSON with the names of every object in order, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
}

/** The message of anything that was thrown. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Anything that was thrown, as an error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** The `attempt`-th delay (from 0) of an exponential backoff with ±20 % jitter, in milliseconds. */
export function backoffMs(attempt: number, minMs: number, maxMs: number, random: () => number = Math.random): number {
  return Math.min(maxMs, minMs * 2 ** attempt) * (0.8 + 0.4 * random())
}
