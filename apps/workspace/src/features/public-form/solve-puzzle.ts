import * as v from 'valibot'

/** Attempts computed together: the browser answers each from another thread, which takes longer than one attempt. */
const AT_ONCE = 16

/** A puzzle as the server creates it; `server/src/workspaces/forms/proof-of-work.ts`. */
export const puzzleSchema = v.object({
  salt: v.pipe(v.string(), v.hexadecimal()),
  rounds: v.pipe(v.number(), v.integer(), v.maxValue(1_000_000)),
  attempts: v.pipe(v.number(), v.integer(), v.maxValue(1_000_000)),
  target: v.string(),
  expires: v.number(),
  signature: v.string(),
})
export type Puzzle = v.InferOutput<typeof puzzleSchema>

/** A puzzle and its solution, as the server takes it. */
export type SolvedPuzzle = Puzzle & { readonly solution: number }

/**
 * Finds the number whose key is the target, in one to five seconds, without blocking the page.
 *
 * @returns `undefined` without a solution, and without a secure connection, where browsers do not compute keys
 */
export async function solvePuzzle(puzzle: Puzzle): Promise<SolvedPuzzle | undefined> {
  const subtle = crypto.subtle as SubtleCrypto | undefined
  if (!subtle) return undefined
  const salt = Uint8Array.from(puzzle.salt.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  const keyOf = async (solution: number): Promise<string> => {
    const text = new TextEncoder().encode(String(solution))
    const key = await subtle.importKey('raw', text, 'PBKDF2', false, ['deriveBits'])
    const bits = await subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations: puzzle.rounds }, key, 256)
    return Array.from(new Uint8Array(bits), (byte) => byte.toString(16).padStart(2, '0')).join('')
  }
  for (let from = 0; from < puzzle.attempts; from += AT_ONCE) {
    const keys = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => keyOf(from + at)))
    const at = keys.indexOf(puzzle.target)
    if (at >= 0) return { ...puzzle, solution: from + at }
  }
  return undefined
}
