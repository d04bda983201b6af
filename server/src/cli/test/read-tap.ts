/** Results of a test file in the Test Anything Protocol. */
export interface TapResult {
  /** Number of announced tests. */
  readonly planned: number | undefined
  readonly run: number
  /** Numbers of failed tests, without expected failures. */
  readonly failed: readonly number[]
  /** Why the rest was skipped. */
  readonly bailedOut: string | undefined
  /** Diagnostics of failures. */
  readonly diagnostics: readonly string[]
}

const PLAN = /^1\.\.(\d+)/
const TEST = /^(not )?ok\b(?: +(\d+))?(.*)$/
/** `#` in a description is escaped with a backslash. */
const EXPECTED = /(?<!\\)#\s*(?:todo|skip)\b/i
const BAIL_OUT = /^Bail out!\s*(.*)$/i

/** Parses TAP lines. Indented subtests count only by their result. @see https://testanything.org/tap-version-13-specification.html */
export function readTap(lines: readonly string[]): TapResult {
  let planned: number | undefined
  let bailedOut: string | undefined
  let run = 0
  let isFailing = false
  const failed: number[] = []
  const diagnostics: string[] = []
  for (const line of lines) {
    const [, plan] = PLAN.exec(line) ?? []
    const [, reason] = BAIL_OUT.exec(line) ?? []
    const test = TEST.exec(line)
    if (plan !== undefined) planned = Number(plan)
    else if (reason !== undefined) bailedOut = reason
    else if (test) {
      run++
      const [, not, number, rest = ''] = test
      isFailing = not !== undefined && !EXPECTED.test(rest)
      if (!isFailing) continue
      failed.push(number === undefined ? run : Number(number))
      diagnostics.push(line)
    } else if (isFailing && line.trimStart().startsWith('#')) diagnostics.push(line)
  }
  return { planned, run, failed, bailedOut, diagnostics }
}

/** Returns why a file did not pass; `undefined` if it did. */
export function faultOf({ planned, run, failed, bailedOut }: TapResult): string | undefined {
  if (bailedOut !== undefined) return `Bailed out${bailedOut === '' ? '' : `: ${bailedOut}`}`
  if (planned === undefined)
    return run === 0 ? 'No tests run' : 'No plan: select plan(…) or no_plan() first, then finish()'
  if (run !== planned) return `Bad plan: ${planned} tests planned, ${run} run`
  return failed.length > 0 ? `Failed ${failed.length} of ${planned}: ${failed.join(', ')}` : undefined
}
