import { explainVerdict, type RejectedChange } from '@holdfast/client'

/** Describes a rejected change for an operator: code, server message and rule names, without the user's values. */
export function technicalDetails({ verdict, id, table, recordId, op, at }: RejectedChange): string {
  const lines = [explainVerdict(verdict).code, `${op} ${table} ${recordId}`, `change ${id} at ${at}`, verdict.message]
  if (verdict.status === 'error') {
    lines.push(`SQLSTATE ${verdict.sqlstate}`)
    if (verdict.detail !== undefined) lines.push(`detail: ${verdict.detail}`)
    if (verdict.hint !== undefined) lines.push(`hint: ${verdict.hint}`)
    if (verdict.constraint !== undefined) lines.push(`constraint: ${verdict.constraint}`)
    if (verdict.policies !== undefined) lines.push(`policies: ${verdict.policies.join(', ')}`)
  }
  if (verdict.status === 'unexpected') {
    lines.push(`HTTP ${verdict.httpStatus ?? 'no answer'}${verdict.code === undefined ? '' : ` ${verdict.code}`}`)
  }
  return lines.join('\n')
}
