import { CHECK_IDS_MAX, CHECK_QUESTIONS_MAX, CHECK_RANGES_MAX, type CheckQuestion } from '@holdfast/protocol'
import { invalidRequest } from '../errors.ts'

/** Parses the body of a device check. @throws {HoldfastError} 400 `PSYNC_S2001` for an invalid body */
export function parseCheck(body: unknown): readonly CheckQuestion[] {
  const questions = (body as { questions?: unknown } | null | undefined)?.questions
  if (!Array.isArray(questions) || questions.length === 0) throw invalidRequest(['questions is not a list'])
  if (questions.length > CHECK_QUESTIONS_MAX) throw invalidRequest([`more than ${CHECK_QUESTIONS_MAX} questions`])
  const parsed = questions.map((one) => parseQuestion(one as Readonly<Record<string, unknown>> | null))
  if (new Set(parsed.map(({ table }) => table)).size < parsed.length)
    throw invalidRequest(['a table is asked for twice'])
  const ids = parsed.reduce((sum, one) => sum + ('ids' in one ? one.ids.length : 0), 0)
  if (ids > CHECK_IDS_MAX) throw invalidRequest([`more than ${CHECK_IDS_MAX} ids`])
  return parsed
}

function parseQuestion(given: Readonly<Record<string, unknown>> | null): CheckQuestion {
  const { table, ranges, only, ids } = given ?? {}
  if (typeof table !== 'string') throw invalidRequest(['table is not a name'])
  if (ids !== undefined) {
    if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) {
      throw invalidRequest(['ids is not a list of texts'])
    }
    // Postgres texts contain no NUL, so no row has such an id.
    return { table, ids: ids.filter((id) => !id.includes('\0')) }
  }
  if (!isRanges(ranges)) throw invalidRequest([`ranges is not a power of two up to ${CHECK_RANGES_MAX}`])
  if (only === undefined) return { table, ranges }
  if (!Array.isArray(only) || !only.every((range) => Number.isInteger(range) && range >= 0 && range < ranges)) {
    throw invalidRequest(['only is not a list of ranges'])
  }
  return { table, ranges, only: [...new Set(only as number[])] }
}

function isRanges(ranges: unknown): ranges is number {
  return (
    typeof ranges === 'number' &&
    Number.isInteger(ranges) &&
    ranges >= 1 &&
    ranges <= CHECK_RANGES_MAX &&
    (ranges & (ranges - 1)) === 0
  )
}
